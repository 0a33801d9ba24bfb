// Charts of lines or stacked bars over time, for mouse, keyboard and screen reader.
import { useState } from "preact/hooks";
import "./plot.css";

/** A line or a layer of bars, with a value or null for each x. */
export interface Series {
  name: string;
  values: (number | null)[];
  color: number;
}

/** The props of a chart. The values of x are evenly spaced. */
export interface PlotProps {
  caption: string;
  note?: string;
  x: number[];
  series: Series[];
  xName: string;
  xLabel: (x: number) => string;
  yLabel: (y: number) => string;
  /** Stacked bars instead of lines. */
  stacked?: boolean;
  /** The top of the scale; by default, it follows from the highest value. */
  top?: number;
  /** The hidden series, if the chart has an external legend. */
  off?: string[];
}

const colors = 10;
const width = 1000;
const height = 200;

const variable = (color: number) => `var(--plot-${color % colors})`;

export function Plot(props: PlotProps) {
  const { x, series, stacked, xLabel, yLabel } = props;
  const [ownOff, setOff] = useState<string[]>([]);
  const off = props.off ?? ownOff;
  const { chosen: spot, move, follow, clear } = useChosen(x.length, x.length);
  const shown = series.filter((s) => !off.includes(s.name));
  const layers = layersOf(props, shown);
  const ticks = ticksOf(props.top, Math.max(0, ...layers.flatMap((values) => values.map((value) => value ?? 0))));
  const top = ticks[ticks.length - 1];
  const every = Math.ceil(x.length / 6);
  return (
    <figure class="plot">
      <figcaption>
        {props.caption} {props.note && <span class="faint">{props.note}</span>}
      </figcaption>
      <div class="plot-area">
        <div class="axis-y" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(100 * tick) / top}%` }}>
              {yLabel(tick)}
            </span>
          ))}
        </div>
        <div
          class="plot-box"
          role="img"
          aria-label={`${props.caption}. Use the arrow keys to read values.`}
          tabIndex={0}
          onKeyDown={move}
          onPointerMove={follow}
          onPointerLeave={clear}>
          {ticks.map((tick) => (
            <i key={tick} class="rule" style={{ bottom: `${(100 * tick) / top}%` }} />
          ))}
          <Drawn layers={layers} shown={shown} stacked={stacked} top={top} spot={spot} />
        </div>
        <div class="axis-x" aria-hidden="true">
          {x.map(
            (at, i) =>
              (x.length - 1 - i) % every === 0 && (
                <span key={at} style={{ left: `${(100 * (i + 0.5)) / x.length}%` }}>
                  {xLabel(at).replace(/ \d{4}$/, "")}
                </span>
              ),
          )}
        </div>
        <div aria-live="polite" class="plot-told">
          {spot !== undefined && <Tip {...props} shown={shown} spot={spot} />}
        </div>
      </div>
      {!props.off && <Legend label={`Series of ${props.caption}`} series={series} off={off} setOff={setOff} />}
      <Values {...props} />
    </figure>
  );
}

/** Chooses a point of a chart with the pointer or the arrow keys. The arrow keys start at the point first. */
export function useChosen(count: number, first: number) {
  const [chosen, choose] = useState<number>();
  const last = count - 1;
  const clear = () => choose(undefined);
  const move = (event: KeyboardEvent) => {
    const at = chosen ?? first;
    const steps = { ArrowLeft: Math.max(at - 1, 0), ArrowRight: Math.min(at + 1, last), Home: 0, End: last };
    if (event.key === "Escape") clear();
    else if (Object.hasOwn(steps, event.key)) choose(steps[event.key as keyof typeof steps]);
    else return;
    event.preventDefault();
  };
  const follow = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    choose(Math.max(0, Math.min(last, Math.floor(((event.clientX - box.left) / box.width) * count))));
  };
  return { chosen: chosen !== undefined && chosen < count ? chosen : undefined, move, follow, clear };
}

/** Returns the heights of lines or stacked bars. */
function layersOf({ x, stacked }: PlotProps, shown: Series[]): (number | null)[][] {
  if (!stacked) return shown.map((s) => s.values);
  let below = x.map(() => 0);
  return shown.map((s) => (below = below.map((sum, i) => sum + (s.values[i] ?? 0))));
}

/** Possible steps of a scale without a fixed top, in whole numbers. */
const wholeSteps = Array.from({ length: 30 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));

/** Returns the ticks of a scale from 0 to its top, or to above the highest value. */
function ticksOf(top: number | undefined, highest: number): number[] {
  const step = top === undefined ? wholeSteps.find((whole) => highest / whole <= 5)! : top / 4;
  const count = Math.max(1, Math.ceil((top ?? highest) / step));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

type DrawnProps = { layers: (number | null)[][]; shown: Series[]; stacked?: boolean; top: number; spot?: number };

function Drawn({ layers, shown, stacked, top, spot }: DrawnProps) {
  const n = layers[0]?.length ?? 1;
  const at = (i: number) => (((i + 0.5) / n) * width).toFixed(1);
  const y = (value: number) => (height * (1 - value / top)).toFixed(1);
  const bar = (i: number, from: number, to: number) =>
    `M${((i + 0.12) / n) * width} ${y(from)}V${y(to)}H${((i + 0.88) / n) * width}V${y(from)}Z`;
  const line = (values: (number | null)[]) =>
    values
      .map((value, i) => (value === null ? "" : `${i > 0 && values[i - 1] !== null ? "L" : "M"}${at(i)} ${y(value)}`))
      .join("");
  const dots = (values: (number | null)[]) =>
    values.map((value, i) => (value === null ? "" : `M${at(i)} ${y(value)}h.01`)).join("");
  return (
    <svg
      class="drawing"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false">
      {spot !== undefined && <line class="chosen" x1={at(spot)} x2={at(spot)} y1={0} y2={height} />}
      {shown.map((s, k) => (
        <g key={s.name} style={{ color: variable(s.color) }}>
          {stacked ? (
            <path
              class="bar"
              d={layers[k].map((value, i) => bar(i, k > 0 ? (layers[k - 1][i] ?? 0) : 0, value ?? 0)).join("")}
            />
          ) : (
            [<path key="line" d={line(layers[k])} />, <path key="dots" class="dot" d={dots(layers[k])} />]
          )}
        </g>
      ))}
    </svg>
  );
}

type LegendProps = { label: string; series: Series[]; off: string[]; setOff: (off: string[]) => void };

/** The legend; a click hides or shows a series. */
export function Legend({ label, series, off, setOff }: LegendProps) {
  const toggle = (name: string) => setOff(off.includes(name) ? off.filter((n) => n !== name) : [...off, name]);
  return (
    <ul class="plot plot-legend" aria-label={label}>
      {series.map((s) => (
        <li key={s.name}>
          <button type="button" class="small" aria-pressed={!off.includes(s.name)} onClick={() => toggle(s.name)}>
            <Mark color={s.color} />
            {s.name}
          </button>
        </li>
      ))}
    </ul>
  );
}

const Mark = ({ color }: { color: number }) => <span class="plot-mark" style={{ background: variable(color) }} />;

/** The values at one x, next to the cursor. */
function Tip({ shown, spot, x, xLabel, yLabel, stacked }: PlotProps & { shown: Series[]; spot: number }) {
  const here = shown
    .map((s) => ({ ...s, value: s.values[spot] }))
    .filter((s) => s.value != null && !(stacked && s.value === 0));
  const total = here.reduce((sum, s) => sum + s.value!, 0);
  const left = (100 * (spot + 0.5)) / x.length;
  const place = left > 50 ? { right: `calc(${100 - left}% + 12px)` } : { left: `calc(${left}% + 12px)` };
  return (
    <div class="plot-tip" style={place} data-testid="plot-tip">
      <strong>{xLabel(x[spot])}</strong>
      <dl>
        {here.map((s) => [
          <dt key={s.name}>
            <Mark color={s.color} />
            {s.name}
          </dt>,
          <dd key={s.name + "="}>{yLabel(s.value!)}</dd>,
        ])}
        {stacked && here.length !== 1 && [<dt key="total">Total</dt>, <dd key="total=">{yLabel(total)}</dd>]}
      </dl>
      {!stacked && here.length === 0 && "No data"}
    </div>
  );
}

/** The values as a table, for screen readers. */
function Values({ caption, x, series, xName, xLabel, yLabel }: PlotProps) {
  return (
    <div class="plot-values">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{xName}</th>
            {series.map((s) => (
              <th key={s.name} scope="col">
                {s.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {x.map((at, i) => (
            <tr key={at}>
              <th scope="row">{xLabel(at)}</th>
              {series.map((s) => (
                <td key={s.name}>{s.values[i] == null ? "–" : yLabel(s.values[i])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
