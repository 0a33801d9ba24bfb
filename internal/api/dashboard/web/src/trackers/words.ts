// Numbers and verdicts in words. Nothing is computed here: a page shows what the API returns.
import type { ComparedRow, GradedCut, MetricRow, Opinion, ReviewKind, ReviewState } from "earshot";
import { counted } from "../count";
import { targetLabel } from "../names";
import { dateText, timeText } from "../time";

/** Returns a share such as 33.2 %, as the API's own sentences write it. */
export const percent = (share: number | null | undefined) =>
  share == null ? "–" : `${(100 * share).toFixed(1)}\u00a0%`;

/** Returns an interval such as 29.9–36.3 %. */
export const range = (ends: number[] | undefined) =>
  ends && ends.length === 2 ? `${(100 * ends[0]).toFixed(1)}–${percent(ends[1])}` : "–";

/** Returns a difference of shares in points, without its sign. */
export const points = (share: number | null | undefined) => (share == null ? "–" : Math.abs(100 * share).toFixed(1));

/** Returns a difference with its sign: +5.4, −3.9, 0.0. */
export function signed(change: number): string {
  const text = points(change);
  return text === "0.0" ? text : (change < 0 ? "−" : "+") + text;
}

/** Returns the verdict on a change in a few words. */
export function verdictWords(row: ComparedRow): string {
  if (row.verdict === "tooEarly" || row.change == null) return "Not enough data yet";
  if (row.verdict === "steady") return "No significant change";
  return `${row.change < 0 ? "Down" : "Up"} ${points(row.change)} points`;
}

/** Returns how large a change can be without meaning anything, in shares. */
const variation = ({ interval, smallestChange }: ComparedRow) =>
  interval && interval.length === 2 ? (interval[1] - interval[0]) / 2 : smallestChange;

/** Compares a change with normal variation. */
export function variationWords(row: ComparedRow): string {
  if (row.change == null) return "No earlier data";
  if (row.verdict === "tooEarly") return `${Math.min(row.sweepsBefore, row.sweepsAfter)} of 5 sweeps needed`;
  const floor = variation(row);
  // A change that is tested together with many others needs to be larger to be significant.
  if (row.verdict === "steady" && Math.abs(row.change) > (floor ?? 1)) return "Not significant among many rows";
  return `${row.verdict === "moved" ? "Larger than" : "Within"} normal variation (±${points(floor)})`;
}

export const gradeWords: Record<GradedCut["grade"], string> = {
  "decision-grade": "High",
  directional: "Medium",
  exploratory: "Low",
};

/** Returns one criterion of the data quality as a phrase. */
export function criterionWords({ name, value, decision, met }: GradedCut["criteria"][number]): string {
  const count = (noun: string) => {
    if (value == null || decision == null) return `${noun}s: not enough data yet`;
    return met ? `${counted(value, noun)} (${decision} recommended)` : `${value} of ${decision} recommended ${noun}s`;
  };
  const words: Record<string, () => string> = {
    prompts: () => count("unbranded prompt"),
    sweeps: () => count("sweep"),
    coverage: () => `${percent(value)} of planned answers received (${percent(decision)} recommended)`,
    informative: () => `${percent(value)} of answers name any brand (${percent(decision)} recommended)`,
    providers: () => count("platform"),
    smallestChange: () =>
      value == null
        ? "Smallest detectable change: not enough data yet"
        : `Smallest detectable change: ${points(value)} points (${points(decision)} recommended)`,
    openBreaks: () => (value ? `${counted(value, "series break")} in this period` : "No series breaks in this period"),
  };
  return Object.hasOwn(words, name) ? words[name]() : `${name}: ${value ?? "unknown"} (${decision} recommended)`;
}

/** Returns the due time of a sweep; a sweep that somebody started by hand was due when it started. */
export function slotWords({ slot, dueAt }: { slot: string; dueAt: string }): string {
  const [, day, time] = slot.match(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/) ?? [];
  return day ? `${dateText(day)}, ${time}` : timeText(dueAt);
}

/** Returns an object of the settings in words: "every: day, at: 06:00". */
function settingText(json: string): string {
  try {
    return Object.entries(JSON.parse(json))
      .map(([name, value]) => `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}: ${value}`)
      .join(", ");
  } catch {
    return json;
  }
}

/** Returns a text of the API with product names, with dates like on the rest of the page, and without JSON. */
export const plainText = (text: string) =>
  text
    .replace(/\{[^{}]*\}/g, settingText)
    .replace(/\b[a-z]+(\/[\w-]+)+(@\w+)?/g, targetLabel)
    .replace(/\b\d{4}-\d\d-\d\d\b/g, (day) => dateText(day));

/** The metrics that a trend can show, by the names of the API. */
export const metrics = {
  visibility: "Visibility",
  shareOfVoice: "Share of voice",
  firstNamed: "Mentioned first",
  citationRate: "Citation rate",
} as const;
export type MetricName = keyof typeof metrics;

/** The metrics of what answers contain besides their text, by the names of the API. */
export const besidesMetrics: Record<string, string> = {
  "searched@m2": "Answers with a web search",
  "fanout@m2": "Searches per answer with a search",
  "retrievalRate@m2": "Website read",
  "citationRate@m2": "Website cited",
  "citedWhenRetrieved@m2": "Website cited when read",
  "productVisibility@m2": "Products shown",
  "adRate@m2": "Ads shown",
  "paidShare@m2": "Share of all ads",
  "organicVisibility@m2": "Visibility without sponsored text",
  "overviewRate@m2": "Search pages with an AI overview",
};

/** Why a metric has no value. */
export const absentReasons: Record<NonNullable<MetricRow["reason"]>, string> = {
  notRequested: "not requested",
  notOffered: "not offered",
};

export const reviewKinds: Record<ReviewKind, string> = {
  warning: "Warning",
  negation: "Negative statement",
  fact: "Different fact",
};

export const reviewStates: Record<ReviewState, string> = {
  open: "Open",
  right: "Right",
  wrong: "Wrong",
  resolved: "Resolved",
};

export const opinionWords: Record<Opinion, string> = { problem: "problem", fine: "no problem", unsure: "unsure" };

/** Why answers are missing, by the API's reasons. */
export const missingReasons: Record<string, string> = {
  blocked: "Blocked by the platform",
  timeout: "No answer in time",
  unavailable: "Platform not reachable",
  unreadable: "Page layout not recognized",
  empty: "Empty answer",
  credits: "Not enough credits",
  canceled: "Sweep canceled",
  expired: "Not asked before the deadline",
  failed: "Other error",
};

/** Returns a missing answer's reason in words; an unknown reason keeps its API name. */
export const reasonWords = (reason: string) =>
  Object.hasOwn(missingReasons, reason) ? missingReasons[reason] : reason;
