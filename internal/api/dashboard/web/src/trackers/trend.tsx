// A chart with a line for each brand, and the band of its expected range. Missing sweeps are gaps. The legend shows the
// values of one point: the newest, or the one under the pointer or chosen with the arrow keys.
import { useState } from "preact/hooks";
import type { MetricRow } from "../api.gen";
import { useChosen } from "../plot";
import { brandColor, BrandMark, Value, type PanelBrand } from "./pieces";
import { percent, range } from "./words";
import "../plot.css";
import { Button } from "../ui";

/** A point on the axis: a sweep or a week. */
export interface Point {
  key: string;
  label: string;
  /** Why the point has no values. */
  gap?: string;
  /** Why lines start again at this point. */
  mark?: string;
  href?: string;
}

/** The values of a brand, one for each point. */
export interface Line {
  brand: PanelBrand;
  rows: (Pick<MetricRow, "value" | "interval" | "provisional"> | undefined)[];
}

const width = 1000;
const height = 300;
const xOf = (i: number, n: number) => ((i + 0.5) / n) * width;
const yOf = (share: number, top: number) => height * (1 - share / top);
const at = (x: number, y: number) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Returns a top of the scale that is above all lines and bands. */
export function topOf(lines: Line[]): number {
  const highest = Math.max(
    0.1,
    ...lines.flatMap(({ rows }) =>
      rows.flatMap((row) => (row?.value == null ? [] : [row.interval?.rerun[1] ?? row.value])),
    ),
  );
  return Math.min(1, Math.ceil(highest * 10) / 10);
}

/** Returns the runs of points without a gap or a break, as their indexes. */
function runs(points: Point[], rows: Line["rows"]): number[][] {
  const found: number[][] = [];
  let last = -2;
  rows.forEach((row, i) => {
    if (row?.value == null || points[i].gap) return;
    if (last !== i - 1 || points[i].mark) found.push([]);
    found[found.length - 1].push(i);
    last = i;
  });
  return found;
}

type DrawingProps = { points: Point[]; lines: Line[]; dots?: Line; top: number; chosen?: number };

/** The drawing of a chart without its labels: gaps, breaks, bands, lines, and dots for single sweeps. */
export function Drawing({ points, lines, dots, top, chosen }: DrawingProps) {
  const n = points.length;
  const x = (i: number) => xOf(i, n);
  const y = (share: number) => yOf(share, top);
  return (
    <>
      {points.map(
        ({ gap }, i) => gap && <i key={i} class="gap" style={{ left: `${(100 * i) / n}%`, width: `${100 / n}%` }} />,
      )}
      <svg
        class="drawing"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        focusable="false">
        {points.map(
          ({ mark }, i) =>
            mark && <line key={i} class="break" x1={(i / n) * width} x2={(i / n) * width} y1={0} y2={height} />,
        )}
        {chosen !== undefined && <line class="chosen" x1={x(chosen)} x2={x(chosen)} y1={0} y2={height} />}
        {[...lines].reverse().map(({ brand, rows }) => {
          const own = brand.look === 0;
          return (
            <g key={brand.name} style={{ color: brandColor(brand.look) }} class={own ? "line lead" : "line"}>
              {runs(points, rows).map((run) => {
                const ends = run.map((i) => rows[i]!.interval?.rerun ?? [rows[i]!.value!, rows[i]!.value!]);
                const band = [
                  ...run.map((i, k) => at(x(i), y(ends[k][1]))),
                  ...run.map((i, k) => at(x(i), y(ends[k][0]))).reverse(),
                ];
                return (
                  <g key={run[0]}>
                    {run.length > 1 && <path class="band" d={`M${band.join("L")}Z`} />}
                    {run.slice(1).map((i) => (
                      <path
                        key={i}
                        class={rows[i]!.provisional ? "early" : undefined}
                        d={`M${at(x(i - 1), y(rows[i - 1]!.value!))}L${at(x(i), y(rows[i]!.value!))}`}
                      />
                    ))}
                    {run.length === 1 && <path class="dot" d={`M${at(x(run[0]), y(rows[run[0]]!.value!))}h.01`} />}
                  </g>
                );
              })}
            </g>
          );
        })}
        {dots && (
          <g style={{ color: brandColor(dots.brand.look) }} class="dots">
            {dots.rows.map(
              (row, i) =>
                row?.value != null && <path key={i} class="dot" d={`M${at(x(i), y(Math.min(row.value, top)))}h.01`} />,
            )}
          </g>
        )}
      </svg>
    </>
  );
}

/** A small chart of one value per sweep. By default, the scale is a scale of shares. */
export function Spark({ brand, values, top }: { brand: PanelBrand; values: (number | null)[]; top?: number }) {
  const line: Line = { brand, rows: values.map((value) => ({ value, interval: null, provisional: false })) };
  const points = values.map((_, i) => ({ key: String(i), label: "" }));
  return (
    <span class="spark">
      <Drawing points={points} lines={[line]} top={top ?? topOf([line])} />
    </span>
  );
}

interface TrendProps {
  caption: string;
  about: string;
  points: Point[];
  lines: Line[];
  dots?: Line;
  others: PanelBrand[];
  onToggle: (brand: PanelBrand) => void;
}

export function Trend({ caption, about, points, lines, dots, others, onToggle }: TrendProps) {
  const [asTable, setAsTable] = useState(false);
  const newest = points.findLastIndex((point, i) => !point.gap && lines.some(({ rows }) => rows[i]));
  const { chosen: pointed, move, follow, clear } = useChosen(points.length, Math.max(0, newest));
  const chosen = pointed ?? Math.max(0, newest);
  const point = points[chosen];
  const top = topOf(lines);
  const values = lines.map(({ brand, rows }) => `${brand.name} ${percent(rows[chosen]?.value)}`).join(", ");
  const description = `${point?.label}: ${point?.gap ?? values}${point?.mark ? `. ${point.mark}` : ""}`;
  const ticks = Array.from({ length: Math.round(top * 10) + 1 }, (_, i) => i / 10).filter(
    (_, i, all) => all.length < 8 || i % 2 === 0,
  );
  const every = Math.max(1, Math.ceil(points.length / 7));
  let letter = 0;
  const marks = points.flatMap(({ mark, label }, i) =>
    mark ? [{ i, mark, label, letter: String.fromCharCode(65 + (letter++ % 26)) }] : [],
  );
  return (
    <figure class="trend">
      <figcaption>
        <p class="faint">{about}</p>
      </figcaption>
      <div class="trend-plot">
        <div class="axis-y" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(100 * tick) / top}%` }}>
              {Math.round(100 * tick)} %
            </span>
          ))}
        </div>
        <div
          class="trend-box"
          role="slider"
          tabIndex={0}
          aria-label={`${caption}: use the arrow keys to choose a sweep`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, points.length - 1)}
          aria-valuenow={chosen}
          aria-valuetext={description}
          onKeyDown={move}
          onPointerMove={follow}
          onPointerLeave={clear}
          data-testid="trend">
          {ticks.map((tick) => (
            <i key={tick} class="rule" style={{ bottom: `${(100 * tick) / top}%` }} />
          ))}
          <Drawing points={points} lines={lines} dots={dots} top={top} chosen={pointed} />
          {marks.map(({ i, letter: text }) => (
            <b key={i} class="flag" style={{ left: `${(100 * i) / points.length}%` }}>
              {text}
            </b>
          ))}
        </div>
        <div class="trend-ends" aria-hidden="true">
          {endsOf(lines, newest, top).map(({ brand, value, bottom }) => (
            <span key={brand.name} style={{ bottom: `${bottom}%` }}>
              <BrandMark look={brand.look} /> {brand.name} {percent(value)}
            </span>
          ))}
        </div>
        <div class="axis-x" aria-hidden="true">
          {points.map(
            ({ label, key }, i) =>
              (points.length - 1 - i) % every === 0 && (
                <span key={key} style={{ left: `${(100 * (i + 0.5)) / points.length}%` }}>
                  {label.replace(/ \d{4}.*/, "")}
                </span>
              ),
          )}
        </div>
      </div>
      <div class="readout">
        <span class="readout-at">
          {point?.href && !point.gap ? <a href={point.href}>{point.label}</a> : point?.label}
          {point?.gap && `: ${point.gap}`}
        </span>
        {lines.map(({ brand, rows }) => (
          <button
            key={brand.name}
            type="button"
            class="chip-brand"
            aria-pressed="true"
            title="Hide"
            onClick={() => onToggle(brand)}>
            <BrandMark look={brand.look} /> {brand.name}{" "}
            <strong>
              <Value of={rows[chosen]?.value} />
            </strong>{" "}
            <span class="faint">{range(rows[chosen]?.interval?.rerun)}</span>
          </button>
        ))}
        {others.map((brand) => (
          <button
            key={brand.name}
            type="button"
            class="chip-brand off"
            aria-pressed="false"
            disabled={lines.length >= 5}
            title={lines.length >= 5 ? "Up to five brands. Hide one first." : "Show"}
            onClick={() => onToggle(brand)}>
            <BrandMark look={brand.look} /> {brand.name}
          </button>
        ))}
      </div>
      <p class="trend-notes faint">
        {marks.map(({ i, mark, label, letter: text }) => (
          <span key={i}>
            <b class="flag">{text}</b> {label}: {mark} (new series)
          </span>
        ))}
        {points.some(({ gap }) => gap) && (
          <span>
            <i class="hatch" aria-hidden="true" /> No sweep: {gapWords(points)}
          </span>
        )}
        {lines.some(({ rows }) => rows.some((row) => row?.provisional)) && (
          <span>- - - Preliminary: fewer than 5 sweeps</span>
        )}
        <Button text="Show as table" class="small" aria-expanded={asTable} onClick={() => setAsTable(!asTable)} />
      </p>
      {asTable && <TrendTable caption={caption} points={points} lines={lines} />}
    </figure>
  );
}

/** Returns the positions of the names at the lines' ends, in percent of the height, without overlaps. */
function endsOf(lines: Line[], newest: number, top: number) {
  const apart = 6;
  const ends = lines.flatMap(({ brand, rows }) =>
    rows[newest]?.value == null
      ? []
      : [{ brand, value: rows[newest]!.value!, bottom: (100 * rows[newest]!.value!) / top }],
  );
  ends
    .sort((a, b) => a.bottom - b.bottom)
    .forEach((end, i) => {
      if (i > 0) end.bottom = Math.max(end.bottom, ends[i - 1].bottom + apart);
    });
  const over = Math.max(0, (ends.at(-1)?.bottom ?? 0) - 98);
  return ends.map((end) => ({ ...end, bottom: end.bottom - over }));
}

/** Lists the first gaps with their reasons. */
function gapWords(points: Point[]): string {
  const gaps = points.filter(({ gap }) => gap);
  const first = gaps
    .slice(0, 3)
    .map(({ label, gap }) => `${label} ${gap}`)
    .join(", ");
  return gaps.length > 3 ? `${first} and ${gaps.length - 3} more` : first;
}

function TrendTable({ caption, points, lines }: { caption: string; points: Point[]; lines: Line[] }) {
  return (
    <div class="scroll table-box" role="region" tabIndex={0} aria-label={`${caption} as a table`}>
      <table>
        <caption class="hidden-words">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Sweep</th>
            {lines.map(({ brand }) => (
              <th key={brand.name} scope="col" class="number">
                {brand.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map((point, i) => (
            <tr key={point.key}>
              <th scope="row">{point.href && !point.gap ? <a href={point.href}>{point.label}</a> : point.label}</th>
              {lines.map(({ brand, rows }) => (
                <td key={brand.name} class="number">
                  {point.gap ?? (
                    <>
                      <Value of={rows[i]?.value} /> <span class="faint">{range(rows[i]?.interval?.rerun)}</span>
                    </>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
