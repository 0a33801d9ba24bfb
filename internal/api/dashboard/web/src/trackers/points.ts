// Reads the points of trends: sweeps or weeks, and the alerts that mark them.
import type { Alert, MetricReport, MetricRow, Sweep, Tracker } from "earshot";
import { dateText } from "../time";
import { useLoad } from "../ui";
import { addressOf, periodOf, previousPeriod, type Period } from "./address";
import { weekPoint, type Mark, type TimedPoint } from "./marks";
import { dayOf, sweepsWithin } from "./numbers";
import { plainText, slotWords } from "./words";

/** The number of sweeps that each point of a line averages. */
export const lastSweeps = 7;
/** Periods of at least this many days have one point per week, because a line cannot show that many sweeps. */
const weeksFrom = 150;

export const isWeekly = (tracker: Tracker) => periodOf(tracker).days >= weeksFrom;

/** Returns the grouping of a trend: by week for long periods, otherwise by sweep. */
export const lineQuery = (tracker: Tracker, by: string): { by: string; last?: number } =>
  isWeekly(tracker) ? { by: `week,${by}` } : { by: `sweep,${by}`, last: lastSweeps };

type Days = Pick<Period, "from" | "to">;

/** Reads the sweeps of the period in the address, and of the period before it. */
export function useSweeps(tracker: Tracker) {
  const period = periodOf(tracker);
  const [{ from }, { to }] = [previousPeriod(period), period];
  return useLoad((signal) => sweepsWithin(tracker.name, { from, to }, signal), [tracker, from, to]);
}

const gapStates = ["missed", "skipped", "canceled"];

/** Returns the points of the axis. A sweep that did not run keeps its place. */
export function pointsOf(sweeps: Sweep[], { rows }: MetricReport, { from, to }: Days): TimedPoint[] {
  const weeks = new Set(rows.flatMap(({ week }) => week ?? []));
  if (weeks.size) return [...weeks].sort().map(weekPoint);
  return sweeps
    .filter((sweep) => dayOf(sweep) >= from && dayOf(sweep) <= to)
    .map((sweep) => ({
      key: sweep.id,
      label: /^\d/.test(sweep.slot) ? dateText(sweep.slot.slice(0, 10)) : slotWords(sweep),
      gap: gapStates.includes(sweep.state) ? sweep.state + (sweep.reason ? ` (${sweep.reason})` : "") : undefined,
      days: [dayOf(sweep), dayOf(sweep)],
      times: [Date.parse(sweep.dueAt), Date.parse(sweep.dueAt)],
    }));
}

/** Returns the row of each point. */
export function rowsAt(points: TimedPoint[], rows: MetricRow[]) {
  const found = new Map(rows.map((row) => [row.sweep ?? row.week, row]));
  return points.map(({ key }) => found.get(key));
}

/** Returns the breaks of a report, or only the breaks of a target. Lines of sweeps start again at them. */
export const breakMarks = (report: MetricReport, restart: boolean, target?: string): Mark[] =>
  report.breaks
    .filter((one) => !target || !one.target || one.target === target)
    .map(({ at, reason }) => ({ at: Date.parse(at), word: "Break", text: plainText(reason), restart }));

/** Returns the shifts of some brands when they began, and other alerts at their sweeps. */
export function alertMarks(
  tracker: string,
  alerts: Alert[],
  sweeps: Sweep[],
  metric: string,
  brands: string[],
): Mark[] {
  const due = new Map(sweeps.map(({ id, dueAt }) => [id, dueAt]));
  return alerts.flatMap(({ id, shift, sweep, summary }) => {
    if (shift && (shift.metric.split("@")[0] !== metric || !brands.includes(shift.brand))) return [];
    const at = Date.parse(shift?.since ?? due.get(sweep) ?? "");
    const href = addressOf(tracker, "alerts", { alert: id });
    const word = shift ? "Shift" : "Alert";
    const text = plainText(summary).replace(/\.$/, "");
    return Number.isNaN(at) ? [] : [{ at, word, text, href, brand: shift?.brand }];
  });
}
