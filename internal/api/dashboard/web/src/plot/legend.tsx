// The legend of a chart, which shows the values of one point, and the notes below it.
import { Button } from "../ui";
import { lettered, type Line, type PlotProps, type Point } from "./chart";

/** The shape, color and name of a line. A long name is cut, and complete in the title. */
const Name = ({ of: { name, shape, color } }: { of: Omit<Line, "rows"> }) => (
  <>
    <span class="brand-mark" aria-hidden="true" style={{ color }}>
      {shape}
    </span>{" "}
    <bdi class="line-name" title={name}>
      {name}
    </bdi>
  </>
);

/** near is the line under the pointer, total the sum of the bars at the point. */
type LegendProps = PlotProps & { at: number; near?: Line; total?: number };

export function Legend({ chart, shown, others, most = 99, address, at, near, total, ...props }: LegendProps) {
  const { points, lines, before } = chart;
  const point = points[at];
  const say = props.say ?? chart.show;
  const Said = ({ of: { rows } }: { of: Line }) =>
    rows[at]?.value == null ? <>–</> : <data value={String(rows[at]!.value)}>{say(rows[at]!.value!)}</data>;
  const alone = shown.names.length === 1;
  const full = lines.length >= most;
  return (
    <div class="readout">
      <span class="readout-at">
        {address && !point.gap ? <a href={address(at, near)}>{point.label}</a> : point.label}
        {point.gap && `: ${point.gap}`}
      </span>
      {lines.map((line) => (
        <span key={line.name} class={line === near ? "chip-line is-near" : "chip-line"}>
          <button
            type="button"
            aria-pressed={alone}
            title={alone ? "Show all again" : `Show only ${line.name}`}
            onClick={() => shown.isolate(line.name)}>
            <Name of={line} />{" "}
            <strong>
              <Said of={line} />
            </strong>{" "}
            {props.range && line.rows[at]?.interval && (
              <span class="faint">{props.range(line.rows[at]!.interval!.rerun)}</span>
            )}
          </button>
          {!alone && <Button text="×" aria-label={`Hide ${line.name}`} onClick={() => shown.toggle(line.name)} />}
        </span>
      ))}
      {before && (
        <span class="faint">
          <i class="before-key" style={{ color: before.color }} /> <bdi>{before.name}</bdi> <Said of={before} />
        </span>
      )}
      {total !== undefined && lines.length > 1 && (
        <span>
          Total <strong>{say(total)}</strong>
        </span>
      )}
      {others.map((line) => (
        <span key={line.name} class="chip-line off">
          <button
            type="button"
            disabled={full}
            title={full ? `Up to ${most} lines. Hide one first.` : `Show ${line.name}`}
            onClick={() => shown.toggle(line.name)}>
            <Name of={line} />
          </button>
        </span>
      ))}
    </div>
  );
}

const shownNotes = 8;

/** Why points are marked, which points have no values, and what dashes mean. */
export function Notes({ points, lines }: { points: Point[]; lines: Line[] }) {
  const marks = lettered(points);
  const gaps = points.filter(({ gap }) => gap);
  const provisional = lines.some(({ rows }) => rows.some((row) => row?.provisional));
  if (!marks.length && !gaps.length && !provisional) return null;
  return (
    <ul class="plot-notes faint">
      {marks.slice(0, shownNotes).map(({ i, letter, label, flags }) => (
        <li key={i}>
          <b class="flag">{letter}</b> {label}:{" "}
          {flags.map(({ word, text, href }, k) => (
            <span key={k}>
              {k > 0 && "; "}
              {href ? <a href={href}>{word}</a> : word}: {text}
            </span>
          ))}
        </li>
      ))}
      {marks.length > shownNotes && <li>{marks.length - shownNotes} more marks</li>}
      {gaps.length > 0 && (
        <li>
          <i class="hatch" aria-hidden="true" /> No sweep: {gapWords(gaps)}
        </li>
      )}
      {provisional && <li>- - - Preliminary: fewer than 5 sweeps</li>}
    </ul>
  );
}

/** Lists the first gaps with their reasons. */
function gapWords(gaps: Point[]): string {
  const first = gaps
    .slice(0, 3)
    .map(({ label, gap }) => `${label} ${gap}`)
    .join(", ");
  return gaps.length > 3 ? `${first} and ${gaps.length - 3} more` : first;
}
