// Numbers as people read them. Nothing is computed here: a page shows what the API says.
import type { ComparedRow, GradedCut } from "../api.gen";
import { counted } from "../ui";

/** A share as the API's own sentences write it: 33.2 %. */
export const percent = (share: number | null | undefined) =>
  share == null ? "–" : `${(100 * share).toFixed(1)}\u00a0%`;

/** Two ends of an interval, as "29.9 and 36.3 %" or with another word between them. */
export const range = (ends: number[] | undefined, word = "to") =>
  ends && ends.length === 2 ? `${(100 * ends[0]).toFixed(1)} ${word} ${percent(ends[1])}` : "–";

/** A difference of shares in points, without its sign. */
export const points = (share: number | null | undefined) => (share == null ? "–" : Math.abs(100 * share).toFixed(1));

/** A difference with its sign: +5.4, −3.9, 0.0. */
export function signed(change: number): string {
  const text = points(change);
  return text === "0.0" ? text : (change < 0 ? "−" : "+") + text;
}

/** The verdict on a change in a word or two. */
export function verdictWords(row: ComparedRow): string {
  if (row.verdict === "tooEarly" || row.change == null) return "Too early to tell";
  if (row.verdict === "steady") return "Steady";
  return `Moved ${row.change < 0 ? "down" : "up"} ${points(row.change)} points`;
}

/** What stands below a change: how large noise alone may be. */
export function floorWords(row: ComparedRow): string {
  if (row.change == null) return "nothing to compare with";
  if (row.verdict === "tooEarly") return `${Math.min(row.sweepsBefore, row.sweepsAfter)} of 5 sweeps`;
  const floor =
    row.interval && row.interval.length === 2 ? (row.interval[1] - row.interval[0]) / 2 : row.smallestChange;
  // Many that are tested together need more to be believed than one alone.
  if (row.verdict === "steady" && Math.abs(row.change) > (floor ?? 1)) return "steady, as one of many";
  return row.verdict === "moved" ? `moved, beyond ±${points(floor)}` : `steady, within ±${points(floor)}`;
}

export const gradeWords: Record<GradedCut["grade"], string> = {
  "decision-grade": "Decision-grade",
  directional: "Directional",
  exploratory: "Exploratory",
};

/** One criterion of a grade as a sentence. */
export function criterionWords({ name, value, decision }: GradedCut["criteria"][number]): string {
  const share = (v: number | null) => percent(v);
  const some = (one: string) => (value == null ? `? ${one}s` : counted(value, one));
  const told: Record<string, string> = {
    prompts: `${some("question")} without a brand in them; ${decision} are wanted`,
    sweeps: `${some("sweep")}; ${decision} are wanted`,
    coverage: `${share(value)} of planned answers came; ${share(decision)} are wanted`,
    informative: `${share(value)} of answers name any brand of the panel; ${share(decision)} are wanted`,
    providers: `${some("provider")}; ${decision} are wanted`,
    smallestChange:
      value == null
        ? "which changes can be seen is not known yet"
        : `changes of ${points(value)} points can be seen; at most ${points(decision)} are wanted`,
    openBreaks: `${some("break")} within the time; none is wanted`,
  };
  return Object.hasOwn(told, name) ? told[name] : `${name}: ${value ?? "?"}, ${decision} wanted`;
}

/** A day as 15 Nov, with its year where that is another. */
export function dayWords(day: string): string {
  const at = new Date(`${day.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return day;
  const year = at.getUTCFullYear() === new Date().getUTCFullYear() ? undefined : "numeric";
  return at.toLocaleDateString(undefined, { timeZone: "UTC", month: "short", day: "numeric", year });
}

/** The civil time of a slot, without its zone; a sweep by hand has none, so its moment is told. */
export function slotWords({ slot, dueAt }: { slot: string; dueAt: string }): string {
  const civil = slot.match(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/);
  if (civil) return `${dayWords(civil[1])}, ${civil[2]}`;
  return new Date(dueAt).toLocaleString(undefined, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** The metrics that a trend can show, by the names of the API. */
export const metrics = {
  visibility: { name: "Visibility" },
  shareOfVoice: { name: "Share of voice" },
  firstNamed: { name: "First named" },
  citationRate: { name: "Citation rate" },
} as const;
export type MetricName = keyof typeof metrics;
