// Plots: lines or stacked bars over time, with what a mouse, a keyboard and a screen reader need.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import "./plot.css";

/** One line or layer of bars; its values are at the plot's x, null where there is none. */
export interface Series { name: string; values: (number | null)[]; color: number }

/** What is plotted, at equal steps of x. */
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

const colors = 10;
const variable = (color: number) => `var(--plot-${color % colors})`;

interface Spot { index: number; left: number; right: boolean }

export function Plot(props: PlotProps) {
  const { x, series } = props;
  const area = useRef<HTMLDivElement>(null);
  const width = useWidth(area);
  const [ownOff, setOff] = useState<string[]>([]);
  const off = props.off ?? ownOff;
  const [at, setAt] = useState<number>();
  const shown = series.filter((s) => !off.includes(s.name));
  const scale = scaleOf(props, shown);
  const place = (i: number) => (100 * (i + 0.5)) / x.length;
  const spot: Spot | undefined = at !== undefined && at < x.length ? { index: at, left: (width * place(at)) / 100, right: place(at) > 50 } : undefined;

  const move = (event: KeyboardEvent) => {
    const last = x.length - 1;
    const from = at ?? last + 1;
    const next = { ArrowLeft: Math.max(from - 1, 0), ArrowRight: Math.min(from + 1, last), Home: 0, End: last, Escape: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next < 0 ? undefined : next);
  };
  const point = (event: PointerEvent) => {
    const { left, width: wide } = area.current!.getBoundingClientRect();
    setAt(Math.min(x.length - 1, Math.max(0, Math.floor(((event.clientX - left) / wide) * x.length))));
  };

  return (
    <figure class="plot">
      <figcaption>{props.caption} {props.note && <span class="faint">{props.note}</span>}</figcaption>
      <div class="plot-area">
        <div class="plot-scale" aria-hidden="true">{scale.ticks.map((y) => <span key={y} style={{ bottom: `${(100 * y) / scale.top}%` }}>{props.yLabel(y)}</span>)}</div>
        <div
          ref={area} class="plot-box" role="img" aria-label={`${props.caption}. The arrow keys tell the values.`} tabIndex={0}
          onKeyDown={move} onPointerMove={point} onPointerLeave={() => setAt(undefined)}
        >
          <Drawing {...props} shown={shown} scale={scale} />
          {spot && <div class="plot-cursor" style={{ left: `${place(spot.index)}%` }} />}
          {labelled(x, width).map((i) => <span key={i} class="plot-x" style={{ left: `${place(i)}%` }} aria-hidden="true">{props.xLabel(x[i])}</span>)}
          <div aria-live="polite">{spot && <Tip {...props} shown={shown} spot={spot} />}</div>
        </div>
      </div>
      {!props.off && <Legend label={`What "${props.caption}" shows`} series={series} off={off} setOff={setOff} />}
      <Values {...props} />
    </figure>
  );
}

function useWidth(box: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  return width;
}

interface Scale { top: number; ticks: number[] }

/** Steps of a scale without a top: what is counted has no halves. */
const wholeSteps = Array.from({ length: 30 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));
const mostSteps = 5;

function scaleOf({ x, stacked, top }: PlotProps, shown: Series[]): Scale {
  if (top !== undefined) return { top, ticks: [0, 0.25, 0.5, 0.75, 1].map((part) => part * top) };
  const sums = x.map((_, i) => shown.map((s) => s.values[i] ?? 0).reduce((a, b) => (stacked ? a + b : Math.max(a, b)), 0));
  const highest = Math.max(1, ...sums);
  const step = wholeSteps.find((size) => highest / size <= mostSteps) ?? highest;
  const steps = Math.ceil(highest / step);
  return { top: steps * step, ticks: Array.from({ length: steps + 1 }, (_, i) => i * step) };
}

/** The drawing is stretched to its box, lines keep their width; x counts places, y is from 0 at the top to 100. */
function Drawing({ x, stacked, shown, scale }: PlotProps & { shown: Series[]; scale: Scale }) {
  const y = (value: number) => +(100 - (100 * value) / scale.top).toFixed(3);
  const below = x.map(() => 0);
  return (
    <svg class="drawing" viewBox={`0 0 ${x.length} 100`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      {scale.ticks.map((tick) => <path key={tick} class="plot-grid" d={`M0 ${y(tick)}H${x.length}`} />)}
      {shown.map((s) => (stacked
        ? <path key={s.name} class="plot-bar" style={{ color: variable(s.color) }} d={s.values.map((value, i) => (value ? `M${i + 0.12} ${y(below[i])}V${y((below[i] += value))}h.76V${y(below[i] - value)}Z` : "")).join("")} />
        : <g key={s.name} style={{ color: variable(s.color) }}>
            <path d={s.values.map((value, i) => (value == null ? "" : `${i && s.values[i - 1] != null ? "L" : "M"}${i + 0.5} ${y(value)}`)).join("")} />
            <path class="dot" d={s.values.map((value, i) => (value == null ? "" : `M${i + 0.5} ${y(value)}h0`)).join("")} />
          </g>))}
    </svg>
  );
}

/** As many of the places as have room for their label, the last among them. */
function labelled(x: number[], width: number): number[] {
  const every = Math.ceil(x.length / Math.max(1, Math.floor(width / 64)));
  return x.map((_, i) => i).filter((i) => (x.length - 1 - i) % every === 0);
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
