// Plots: lines or stacked bars over time, with what a mouse, a keyboard and a screen reader need.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { theme } from "./state";
import "uplot/dist/uPlot.min.css";
import "./plot.css";

/** One line or layer of bars; its values are at the plot's x, null where there is none. */
export interface Series { name: string; values: (number | null)[]; color: number }

/** What is plotted. x and series must keep their identity while they are the same. */
export interface PlotProps {
  caption: string;
  note?: string;
  x: number[];
  series: Series[];
  xName: string;
  xLabel: (x: number) => string;
  yLabel: (y: number) => string;
  /** Bars that lie upon each other instead of lines. */
  stacked?: boolean;
  /** The top of the scale, where it is not the highest value's to say. */
  top?: number;
  /** The series that are not shown, where a legend outside of the plot decides that. */
  off?: string[];
}

const height = 220;
const colors = 10;
/** Steps of a scale without a top: what is counted has no halves. */
const wholeSteps = Array.from({ length: 30 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const darkness = signal(systemIsDark.matches);
systemIsDark.addEventListener("change", () => (darkness.value = systemIsDark.matches));

const variable = (color: number) => `var(--plot-${color % colors})`;

interface Spot { index: number; left: number; right: boolean }

export function Plot(props: PlotProps) {
  const { x, series } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [ownOff, setOff] = useState<string[]>([]);
  const off = props.off ?? ownOff;
  const [spot, setSpot] = useState<Spot>();
  const shown = series.filter((s) => !off.includes(s.name));

  useLayoutEffect(() => {
    const made = new uPlot(options(props, shown, box.current!, setSpot), values(props, shown), box.current!);
    plot.current = made;
    const watch = new ResizeObserver(([entry]) => made.setSize({ width: entry.contentRect.width, height }));
    watch.observe(box.current!);
    return () => {
      watch.disconnect();
      made.destroy();
      setSpot(undefined);
    };
  }, [x, series, off, theme.value, darkness.value]);

  const move = (event: KeyboardEvent) => {
    const last = x.length - 1;
    const at = spot?.index ?? last + 1;
    const next = { ArrowLeft: Math.max(at - 1, 0), ArrowRight: Math.min(at + 1, last), Home: 0, End: last, Escape: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    plot.current!.setCursor({ left: next < 0 ? -10 : plot.current!.valToPos(x[next], "x"), top: next < 0 ? -10 : height / 3 });
  };

  return (
    <figure class="plot">
      <figcaption>{props.caption} {props.note && <span class="faint">{props.note}</span>}</figcaption>
      <div class="plot-area">
        <div ref={box} class="plot-box" role="img" aria-label={`${props.caption}. The arrow keys tell the values.`} tabIndex={0} onKeyDown={move} />
        <div aria-live="polite">{spot && x[spot.index] !== undefined && <Tip {...props} shown={shown} spot={spot} />}</div>
      </div>
      {!props.off && <Legend label={`What "${props.caption}" shows`} series={series} off={off} setOff={setOff} />}
      <Values {...props} />
    </figure>
  );
}

/** The names and colours of series; a click takes one out or back in. */
export function Legend({ label, series, off, setOff }: { label: string; series: Series[]; off: string[]; setOff: (off: string[]) => void }) {
  const toggle = (name: string) => setOff(off.includes(name) ? off.filter((n) => n !== name) : [...off, name]);
  return (
    <ul class="plot plot-legend" aria-label={label}>
      {series.map((s) => (
        <li key={s.name}>
          <button type="button" class="small" aria-pressed={!off.includes(s.name)} onClick={() => toggle(s.name)}><Mark color={s.color} />{s.name}</button>
        </li>
      ))}
    </ul>
  );
}

const Mark = ({ color }: { color: number }) => <span class="plot-mark" style={{ background: variable(color) }} />;

/** The values at one x, beside the cursor. */
function Tip({ shown, spot, x, xLabel, yLabel, stacked }: PlotProps & { shown: Series[]; spot: Spot }) {
  const here = shown.map((s) => ({ ...s, value: s.values[spot.index] })).filter((s) => s.value != null && !(stacked && s.value === 0));
  const total = here.reduce((sum, s) => sum + s.value!, 0);
  const place = spot.right ? { right: `calc(100% - ${spot.left}px + 12px)` } : { left: `${spot.left + 12}px` };
  return (
    <div class="plot-tip" style={place} data-testid="plot-tip">
      <strong>{xLabel(x[spot.index])}</strong>
      <dl>
        {here.map((s) => [<dt key={s.name}><Mark color={s.color} />{s.name}</dt>, <dd key={s.name + "="}>{yLabel(s.value!)}</dd>])}
        {stacked && here.length !== 1 && [<dt key="total">Total</dt>, <dd key="total=">{yLabel(total)}</dd>]}
      </dl>
      {!stacked && here.length === 0 && "nothing"}
    </div>
  );
}

/** The same as a table, for those who do not see the plot. */
function Values({ caption, x, series, xName, xLabel, yLabel }: PlotProps) {
  return (
    <div class="plot-values">
      <table>
        <caption>{caption}</caption>
        <thead><tr><th scope="col">{xName}</th>{series.map((s) => <th key={s.name} scope="col">{s.name}</th>)}</tr></thead>
        <tbody>{x.map((at, i) => (
          <tr key={at}><th scope="row">{xLabel(at)}</th>{series.map((s) => <td key={s.name}>{s.values[i] == null ? "–" : yLabel(s.values[i])}</td>)}</tr>
        ))}</tbody>
      </table>
    </div>
  );
}

/** What uPlot draws. Each layer of a stack reaches down to zero, so that the topmost is drawn first. */
function values({ x, stacked }: PlotProps, shown: Series[]): uPlot.AlignedData {
  if (!stacked) return [x, ...shown.map((s) => s.values)];
  let below = x.map(() => 0);
  const layers = shown.map((s) => (below = below.map((sum, i) => sum + (s.values[i] ?? 0))));
  return [x, ...layers.reverse()];
}

function options(props: PlotProps, shown: Series[], box: HTMLElement, onSpot: (spot?: Spot) => void): uPlot.Options {
  const { x, stacked, top } = props;
  const soft = colorOf(box, "var(--soft)");
  const line = colorOf(box, "var(--line)");
  const step = x.length > 1 ? x[1] - x[0] : 1;
  const side = stacked ? step / 2 : step / 4;
  const axis = { stroke: soft, font: "12px system-ui, sans-serif", ticks: { stroke: line, width: 1, size: 4 } };
  const drawn = stacked ? [...shown].reverse() : shown;
  return {
    width: box.clientWidth, height, legend: { show: false }, padding: [8, 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !stacked } },
    scales: {
      x: { time: false, range: () => [x[0] - side, x[x.length - 1] + side] },
      y: { range: (_, __, highest) => [0, top ?? uPlot.rangeNum(0, highest || 1, 0.1, true)[1]] },
    },
    axes: [
      { ...axis, size: 30, grid: { show: false }, splits: (u) => labelled(x, u.width), values: (_, at) => at.map(props.xLabel) },
      {
        ...axis, grid: { stroke: line, width: 1 }, values: (_, at) => at.map(props.yLabel), incrs: top === undefined ? wholeSteps : undefined,
        size: (_, labels) => 16 + 7 * Math.max(3, ...(labels ?? []).map((label) => label.length)),
      },
    ],
    series: [{}, ...drawn.map((s) => seriesOf(colorOf(box, variable(s.color)), stacked))],
    hooks: { setCursor: [(u) => onSpot(spotOf(u))] },
  };
}

function seriesOf(color: string, stacked?: boolean): uPlot.Series {
  if (stacked) return { fill: color, stroke: color, width: 0, paths: uPlot.paths.bars!({ size: [0.75, 48] }), points: { show: false } };
  return { stroke: color, width: 2, points: { show: true, size: 5, fill: color } };
}

/** As many of the x as have room for their label. */
function labelled(x: number[], width: number): number[] {
  const every = Math.ceil(x.length / Math.max(1, Math.floor((width - 50) / 64)));
  return x.filter((_, i) => (x.length - 1 - i) % every === 0);
}

function spotOf(u: uPlot): Spot | undefined {
  const { idx, left = -1 } = u.cursor;
  if (idx == null || left < 0) return undefined;
  return { index: idx, left: left + u.over.offsetLeft, right: left > u.over.offsetWidth / 2 };
}

/** A colour of the theme as a canvas takes it, which knows no variables. */
function colorOf(inside: HTMLElement, css: string): string {
  const probe = inside.appendChild(document.createElement("i"));
  probe.style.color = css;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
