// The points of a trend in time, and the breaks, shifts and alerts that mark them.
import type { Flag, Point } from "../plot/chart";
import { dayLength, utcDay } from "../time";

/** A point with its first and last day, and its first and last time. */
export interface TimedPoint extends Point {
  days: [string, string];
  times: [number, number];
}

/** Returns the point of an ISO week such as 2026-W46. */
export function weekPoint(week: string): TimedPoint {
  const [year, number] = week.split("-W").map(Number);
  const fourth = Date.UTC(year, 0, 4); // 4 January is always in the first week
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayLength + (number - 1) * 7 * dayLength;
  const sunday = monday + 6 * dayLength;
  return { key: week, label: week, days: [utcDay(monday), utcDay(sunday)], times: [monday, sunday + dayLength - 1] };
}

/** A flag with its time; a shift has the brand that shifted. */
export interface Mark extends Flag {
  at: number;
  brand?: string;
}

/** Returns the points with their marks, each at the first point that does not end before it. */
export function marked(points: TimedPoint[], marks: Mark[]): TimedPoint[] {
  const flags = points.map((): Mark[] => []);
  for (const mark of marks) {
    const at = points.findIndex(({ times }) => mark.at <= times[1]);
    if (at < 0 || mark.at < points[0].times[0]) continue;
    if (!flags[at].some(({ text }) => text === mark.text)) flags[at].push(mark);
  }
  return points.map((point, i) => ({ ...point, flags: flags[i] }));
}

/** Returns the last shift of a brand in the time before the first point, but not before start. */
export const shiftBefore = (points: TimedPoint[], marks: Mark[], brand: string, start: number): Mark | undefined =>
  marks
    .filter((mark) => mark.brand === brand && start <= mark.at && mark.at < (points[0]?.times[0] ?? 0))
    .sort((a, b) => b.at - a.at)[0];
