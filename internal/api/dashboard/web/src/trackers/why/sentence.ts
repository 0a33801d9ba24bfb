// The sentence that says what changed. It follows the verdicts of the API: it names a target or prompt only if the API
// says that it moved, and it names a source or break only as something that happened at the same time.
import type { ComparedRow, MetricBreak, SeriesShift } from "earshot";
import { counted, number } from "../../count";
import { targetLabel } from "../../names";
import { dateText } from "../../time";
import { percent, plainText, points, variationWords } from "../words";

/** How often a source is in answers: before, and now. */
export interface SourceMove {
  name: string;
  kind: "gone" | "less" | "new" | "more";
  before: number;
  after: number;
  /** Whether sentences that cite the source name the brand. */
  backs: boolean;
}

export interface Findings {
  brand: string;
  /** The metric in lower case, such as visibility. */
  metric: string;
  /** The change to explain; undefined if there are no answers. */
  whole?: ComparedRow;
  /** The same change on single targets. */
  targets: ComparedRow[];
  /** The prompts that moved most, out of total; undefined if they are unknown. */
  prompts?: { rows: ComparedRow[]; total: number; moved: number };
  /** The sources that changed by more than normal variation. */
  sources: SourceMove[];
  breaks: MetricBreak[];
  /** The shift on one target that an alert found. */
  shift?: Pick<SeriesShift, "target" | "since">;
}

/** Returns what changed in one or a few sentences. */
export function sentenceOf({ brand, metric, whole, ...found }: Findings): string {
  if (!whole || whole.change == null) return "There is nothing to compare: one of the periods has no answers.";
  const on = whole.target.startsWith("*") ? "" : ` on ${targetLabel(whole.target)}`;
  const subject = `${brand}’s ${metric}${on}`;
  const values = `from ${percent(whole.before)} to ${percent(whole.after)}`;
  if (whole.verdict === "tooEarly")
    return (
      `It is too early to tell whether ${subject} changed: there are ${counted(whole.sweepsBefore, "sweep")} before ` +
      `and ${number(whole.sweepsAfter)} after, and each period needs 5. So far it went ${values}.`
    );
  const cautions = whole.breaks > 0 ? found.breaks.slice(0, 1).map(breakWords) : [];
  if (whole.verdict === "steady")
    return [
      `${subject} is steady: it went ${values}. ${variationWords(whole)}.`,
      ...besidesSteady(found.targets, found.prompts),
      ...cautions,
    ].join(" ");
  const verb = whole.change < 0 ? "fell" : "rose";
  const { shift } = found;
  const since = shift
    ? `, with a shift${on ? "" : ` on ${targetLabel(shift.target)}`} on ${dateText(shift.since)}`
    : "";
  const where = [...targetWords(whole, found.targets), ...promptWords(whole, found.prompts)].join(", ");
  return [
    `${subject} ${verb} ${values}${since}${where && `: ${where}`}.`,
    ...sourceWords(whole.change, found.sources),
    ...cautions,
  ].join(" ");
}

const total = (numbers: number[]) => numbers.reduce((sum, n) => sum + n, 0);

/** Returns the rows that moved in the direction of a change, the largest first. */
const movedAlong = (change: number, rows: ComparedRow[]) =>
  rows
    .filter((row) => row.verdict === "moved" && row.change != null && row.change * change > 0)
    .sort((a, b) => Math.abs(b.change! * b.cells) - Math.abs(a.change! * a.cells));

/**
 * Returns the part of a change that some of its rows account for: "about 80 %". All cells weigh the same, which is
 * exact unless prompts have weights or answers are missing. A ratio is not a sum over its rows, so it has no parts.
 */
function partWords(whole: ComparedRow, rows: ComparedRow[]): string {
  if (whole.metric.startsWith("shareOfVoice@")) return "";
  const part = total(rows.map(({ change, cells }) => change! * cells)) / (whole.change! * whole.cells);
  if (part > 1.05) return "more than all of it";
  return part > 0.95 ? "all of it" : `about ${Math.round(100 * part)}\u00a0% of it`;
}

const listed = (names: string[]) =>
  names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names[0];

const namedTargets = 2;

/** Says on which targets a metric moved, and how much of the change they account for. */
function targetWords(whole: ComparedRow, targets: ComparedRow[]): string[] {
  if (targets.length < 2) return [];
  const moved = movedAlong(whole.change!, targets);
  if (!moved.length) return ["on no single target by more than normal variation"];
  const named = moved.slice(0, namedTargets);
  const names = listed(named.map(({ target }) => targetLabel(target)));
  const part = partWords(whole, named);
  if (moved.length === targets.length && moved.length > namedTargets)
    return [`on all ${targets.length} targets, ${part || "most"} on ${names}`];
  const others = moved.length - named.length;
  return [`${part && `${part} `}on ${names}${others ? ` and on ${counted(others, "other target")}` : ""}`];
}

/** Says in how many prompts a metric moved. */
function promptWords(whole: ComparedRow, prompts: Findings["prompts"]): string[] {
  if (!prompts || prompts.total < 2) return [];
  if (!prompts.moved) return ["in no single prompt by more than normal variation"];
  const along = movedAlong(whole.change!, prompts.rows);
  const complete = prompts.moved <= prompts.rows.length;
  // Rows that were not read may have moved in the other direction.
  if (!complete) return [`${number(prompts.moved)} of ${counted(prompts.total, "prompt")} moved`];
  if (!along.length) return ["in no single prompt by more than normal variation"];
  const part = partWords(whole, along);
  return [`in ${number(along.length)} of ${counted(prompts.total, "prompt")}${part && ` (${part})`}`];
}

/** Names the targets and counts the prompts that moved although the whole did not. */
function besidesSteady(targets: ComparedRow[], prompts: Findings["prompts"]): string[] {
  const moved = targets.length > 1 ? targets.filter(({ verdict, change }) => verdict === "moved" && change) : [];
  const words = moved
    .slice(0, namedTargets)
    .map(({ target, change }) => `${targetLabel(target)} (${change! < 0 ? "down" : "up"} ${points(change)} points)`);
  const others = moved.length > namedTargets ? ` and ${counted(moved.length - namedTargets, "other target")}` : "";
  return [
    ...(words.length ? [`It moved on ${listed(words)}${others}.`] : []),
    ...(prompts?.moved && prompts.total > 1
      ? [`It moved in ${number(prompts.moved)} of ${counted(prompts.total, "prompt")}.`]
      : []),
  ];
}

const sourceVerbs: Record<SourceMove["kind"], (move: SourceMove) => string> = {
  gone: ({ name, before }) => `${name} is no longer cited (${counted(before, "answer")} before)`,
  less: ({ name, before, after }) =>
    `${name} is cited less (${counted(before, "answer")} before, ${number(after)} now)`,
  new: ({ name, after }) => `${name} is newly cited (${counted(after, "answer")})`,
  more: ({ name, before, after }) =>
    `${name} is cited more (${counted(before, "answer")} before, ${number(after)} now)`,
};

/** Fewer answers come and go by chance. */
const fewAnswers = 10;

/** Names up to two sources that moved at the same time, in the direction that fits the change. */
function sourceWords(change: number, sources: SourceMove[]): string[] {
  const fitting = change < 0 ? ["gone", "less"] : ["new", "more"];
  const found = sources
    .filter(
      ({ kind, backs, before, after }) => backs && fitting.includes(kind) && Math.max(before, after) >= fewAnswers,
    )
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
    .slice(0, 2);
  return found.length ? [`At the same time, ${listed(found.map((move) => sourceVerbs[move.kind](move)))}.`] : [];
}

const breakWords = ({ at, target, reason }: MetricBreak) =>
  "The change may not be real, because the periods cannot be compared directly: " +
  `${plainText(reason)}${target ? ` on ${targetLabel(target)}` : ""} on ${dateText(at)}.`;
