// The geometry of a chart, in pixels: scale, axes, lines, bands, and the places of labels.
import type { ComponentChildren } from "preact";
import type { useShown } from "./shown";
import { axisLabels, cut, flagLabels, flagWidth, isolated, labelSize, spread, textWidth } from "./labels";

/** The shapes of lines, so that their colors are not the only difference. */
export const shapes = ["●", "■", "▲", "◆", "✚", "▼", "▬"];

/** Why a point is marked. */
export interface Flag {
  word: string;
  text: string;
  href?: string;
  /** Whether values before and after the point cannot be compared, so that lines start again. */
  restart?: boolean;
}

/** A point on the axis: a sweep, a week, a day or an hour. */
export interface Point {
  key: string;
  label: string;
  /** Why the point has no values. */
  gap?: string;
  flags?: Flag[];
}

/** A value with the expected range around it. */
export interface Row {
  value: number | null;
  interval?: { rerun: number[] } | null;
  provisional?: boolean;
}

/** A line or a layer of bars, with a value for each point. */
export interface Line {
  name: string;
  color: string;
  shape: string;
  lead?: boolean;
  rows: (Row | undefined)[];
}

export interface Chart {
  points: Point[];
  lines: Line[];
  /** Single values that the line of the same name averages. */
  dots?: Line;
  /** A faint line: the previous period, point by point. */
  before?: Line;
  /** Averages of whole periods. */
  levels?: { value: number; text: string; color: string }[];
  /** Stacked bars instead of lines. */
  stacked?: boolean;
  /** The highest value, if several charts share a scale. */
  highest?: number;
  /** The smallest step of the scale. */
  least: number;
  /** Returns a value for the axis. */
  show: (value: number) => string;
}

/** The props of an interactive chart. */
export interface PlotProps {
  /** The title, which also names downloaded files. */
  caption: string;
  about?: string;
  chart: Chart;
  /** The name of a point, such as Sweep or Day. */
  unit: string;
  height?: number;
  /** Returns an exact value; by default, values look like on the axis. */
  say?: (value: number) => string;
  /** Returns the range around a value. */
  range?: (ends: number[]) => string;
  shown: ReturnType<typeof useShown>;
  /** The hidden lines. */
  others: Omit<Line, "rows">[];
  /** How many lines can be shown. */
  most?: number;
  /** Returns the page behind a point of a line. */
  address?: (at: number, line?: Line) => string;
  /** Shows only the points from the first to the last. */
  zoom?: (first: number, last: number) => void;
  /** Shown above the left edge of the chart. */
  children?: ComponentChildren;
}

/** Returns the lines of a chart, with the line of the previous period. */
export const linesOf = ({ lines, before }: Chart) => (before ? [...lines, before] : lines);

/** Returns why a point is marked, in words. */
export const flagWords = (flags: Flag[] = []) => flags.map(({ word, text }) => `${word}: ${text}`).join("; ");

const valuesOf = ({ rows }: Line) =>
  rows.flatMap((row) => (row?.value == null ? [] : [row.interval?.rerun[1] ?? row.value]));

/** Returns the highest value or end of a band in some lines. */
export const highestOf = (lines: Line[]) => Math.max(0, ...lines.flatMap(valuesOf));

/** Returns the ticks of a scale from 0 to at least the highest value, in steps of 1, 2 or 5 times a power of ten. */
export function ticksOf(highest: number, most: number, least: number): number[] {
  const steps = Array.from({ length: 42 }, (_, i) => least * [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));
  const step = steps.find((one) => highest / one <= most + 1e-9) ?? highest;
  const count = Math.max(1, Math.ceil(highest / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** Returns the tops of stacked bars; the bars of a line start at the tops of the line before it. */
export function stacked(lines: Line[]): number[][] {
  let below = lines[0]?.rows.map(() => 0) ?? [];
  return lines.map(({ rows }) => (below = below.map((sum, i) => sum + (rows[i]?.value ?? 0))));
}

/** Returns the runs of points without a gap or a break, as their indexes. */
export function runs(points: Point[], rows: Line["rows"]): number[][] {
  const found: number[][] = [];
  let last = -2;
  rows.forEach((row, i) => {
    if (row?.value == null || points[i].gap) return;
    if (last !== i - 1 || points[i].flags?.some(({ restart }) => restart)) found.push([]);
    found[found.length - 1].push(i);
    last = i;
  });
  return found;
}

/** Returns the marked points, with a letter for each. */
export const lettered = (points: Point[]) =>
  points
    .flatMap(({ label, flags }, i) => (flags?.length ? [{ i, label, flags }] : []))
    .map((mark, k) => ({ ...mark, letter: String.fromCharCode(65 + (k % 26)) }));

/** Where a chart without axes, such as a sparkline, draws its lines. */
const bareMargin = 3;

/** Returns the places of everything in a chart. Labels at the lines' ends are left out if there is little room. */
export function layoutOf(chart: Chart, width: number, height: number, bare = false) {
  const { points, lines, show } = chart;
  const drawn = chart.dots ? [...linesOf(chart), chart.dots] : linesOf(chart);
  const sums = chart.stacked ? stacked(lines) : [];
  const levels = chart.levels ?? [];
  const others = [...levels.map(({ value }) => value), ...(sums.at(-1) ?? [])];
  const highest = Math.max(chart.highest ?? 0, highestOf(drawn), ...others);
  const ticks = ticksOf(highest || chart.least, Math.max(2, Math.floor(height / 32)), chart.least);
  const flagged = points.some(({ flags }) => flags?.length);
  const ends = !bare && !chart.stacked && width >= 640 && lines.length > 0;
  const named = lines.map(({ shape, name }) => textWidth(`${shape} ${name}  ${show(1)}00`));
  const endsWidth = ends ? Math.min(180, Math.max(...named) + 14) : 8;
  const left = bare ? bareMargin : Math.ceil(Math.max(...ticks.map((tick) => textWidth(show(tick))))) + 8;
  const right = Math.max(left + 1, bare ? width - bareMargin : width - endsWidth);
  const top = bare ? bareMargin : flagged ? 28 : 8;
  const bottom = bare ? height - bareMargin : height - 24;
  const step = (right - left) / Math.max(1, points.length);
  const x = (i: number) => left + (i + 0.5) * step;
  const y = (value: number) => bottom - ((bottom - top) * value) / ticks[ticks.length - 1];

  const newest = points.findLastIndex((point, i) => !point.gap && lines.some(({ rows }) => rows[i]?.value != null));
  const last = ends ? lines.filter(({ rows }) => rows[newest]?.value != null) : [];
  const endYs = spread(
    last.map(({ rows }) => y(rows[newest]!.value!)),
    labelSize + 4,
    top + 4,
    bottom - 2,
  );
  const endLabels = last.flatMap((line, i) => {
    if (endYs[i] === undefined) return [];
    const value = show(line.rows[newest]!.value!);
    const name = cut(line.name, endsWidth - 14 - textWidth(`${line.shape}  ${value}`));
    return [{ line, y: endYs[i], text: ` ${isolated(name)} ${value}` }];
  });
  const levelYs = spread(
    levels.map(({ value }) => y(value) - 5),
    labelSize + 3,
    top + labelSize,
    bottom - 4,
  );
  const flags = lettered(points).map((mark) => ({
    ...mark,
    x: left + mark.i * step,
    word: [...new Set(mark.flags.map(({ word }) => word))].join(", "),
  }));
  return {
    width,
    height,
    box: { left, right, top, bottom },
    step,
    x,
    y,
    ticks,
    sums,
    newest,
    endLabels,
    levels: levels.map((level, i) => ({ ...level, y: y(level.value), labelY: levelYs[i] })),
    flags,
    flagLabels: flagLabels(flags, left, right).map((label) => ({ ...label, width: flagWidth(label.text) })),
    axis: bare
      ? []
      : axisLabels(
          points.map(shortLabel),
          points.map((_, i) => x(i)),
          left - 8,
          width,
          bottom > 150 ? 8 : 3,
        ),
  };
}

export type Layout = ReturnType<typeof layoutOf>;

/** Returns the label of a point without its year. */
const shortLabel = ({ label }: Point) => label.replace(/(?<=[a-z]) \d{4}.*/, "");

const at = (x: number, y: number) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Returns the paths of a line: its bands, its solid and its dashed parts, and points without neighbors. */
export function pathsOf({ points }: Chart, rows: Line["rows"], { x, y }: Pick<Layout, "x" | "y">) {
  let [band, solid, dashed, dots] = ["", "", "", ""];
  for (const run of runs(points, rows)) {
    const place = (i: number) => at(x(i), y(rows[i]!.value!));
    const edge = (end: 0 | 1) => (i: number) => at(x(i), y(rows[i]!.interval?.rerun[end] ?? rows[i]!.value!));
    if (run.length === 1) dots += `M${place(run[0])}h.01`;
    else if (run.some((i) => rows[i]!.interval))
      band += `M${[...run.map(edge(1)), ...run.map(edge(0)).reverse()].join("L")}Z`;
    for (const i of run.slice(1)) {
      const part = `M${place(i - 1)}L${place(i)}`;
      if (rows[i]!.provisional) dashed += part;
      else solid += solid.endsWith(`L${place(i - 1)}`) ? `L${place(i)}` : part;
    }
  }
  return { band, solid, dashed, dots };
}

/** For each time, returns the index of the other time that is nearest to it after a shift, at most a half step away. */
export function aligned(times: number[], others: number[], shift: number): (number | undefined)[] {
  const steps = times.slice(1).map((time, i) => time - times[i]);
  const reach = Math.max(3_600_000, Math.min(...steps, 7 * 86_400_000)) / 2;
  return times.map((time) => {
    const away = others.map((other) => Math.abs(time - shift - other));
    const nearest = away.indexOf(Math.min(...away));
    return nearest >= 0 && away[nearest] <= reach ? nearest : undefined;
  });
}
