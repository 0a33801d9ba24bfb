// The addresses of tracker pages: #/trackers/{name}/{tab}/…?filters. The address holds all filters of a page, so that
// it can be shared and the browser's back button works.
import type { ComparedRow, Tracker } from "earshot";
import { addressOf as pageAddress, route } from "../state";
import { dayLength, utcDay } from "../time";
import { metrics, type MetricName } from "./words";

export type Query = Record<string, string | undefined>;

/** The filters that all tabs of a tracker share; they stay when the tab changes. */
const sharedFilters = ["days", "from", "to", "target", "provider", "country", "tag", "surface", "brand"] as const;

/**
 * Returns the address of a tab with its filters; parts follow the tab, such as the ID of an answer. On the pages of the
 * tracker, links keep the filters that all tabs share. A sweep has its own time, so a link to it leaves out the period.
 */
export function addressOf(tracker: string, tab: string, query: Query = {}, ...parts: string[]) {
  const { page, rest } = route.value;
  const kept = page === "trackers" && rest[0] === tracker ? keptFilters() : {};
  const period = query.sweep ? { days: "", from: "", to: "" } : {};
  return pageAddress(["trackers", tracker, tab, ...parts], { ...kept, ...period, ...query });
}

/** Returns the filters of the address that all tabs share. */
function keptFilters(): Query {
  return Object.fromEntries(sharedFilters.map((name) => [name, route.value.query[name]]));
}

/** Changes parts of the query and keeps the others; undefined and "" remove a part. */
export function setQuery(changes: Query) {
  const { page, rest, query } = route.value;
  location.hash = pageAddress([page, ...rest], { ...query, ...changes });
}

/** The first and last day of a period, in the tracker's time zone. */
export interface Period {
  from: string;
  to: string;
  days: number;
  chosen: boolean;
}

export const usualDays = 28;

const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? "") && !Number.isNaN(Date.parse(text!));

/** Returns the day that is some days after a day, or before it. */
export const daysLater = (day: string, days: number) => utcDay(Date.parse(day) + days * dayLength);

/** Returns the date of a time in the tracker's time zone. */
function dayIn({ definition }: Tracker, at: number): string {
  try {
    const timeZone = definition?.schedule?.timezone ?? "UTC";
    return new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(at);
  } catch {
    return utcDay(at); // the browser does not know the zone
  }
}

/** Returns the period of the address: from and to, or a number of days up to today. */
export function periodOf(tracker: Tracker): Period {
  const { from, to, days } = route.value.query;
  const end = isDay(to) ? to : dayIn(tracker, Date.now());
  const length = Math.min(Math.max(Math.floor(Number(days)) || usualDays, 1), 400);
  const start = isDay(from) && from <= end ? from : daysLater(end, 1 - length);
  return {
    from: start,
    to: end,
    days: Math.round((Date.parse(end) - Date.parse(start)) / dayLength) + 1,
    chosen: isDay(from) || isDay(to),
  };
}

/** Returns the parameters of a request for numbers, from the filters of the address. */
export function numberQuery(tracker: Tracker): { from: string; to: string; filter?: string; branded?: boolean } {
  const { from, to } = periodOf(tracker);
  const { query } = route.value;
  const parts = (["surface", "target", "provider", "country", "tag", "prompt"] as const).flatMap((name) =>
    query[name] ? [`${name}:${query[name]}`] : [],
  );
  // The page of one prompt shows the prompt even if it is branded.
  return { from, to, filter: parts.length ? parts.join(",") : undefined, branded: query.prompt ? true : undefined };
}

/** Returns the period before another one, which is as long. */
export function previousPeriod({ from, to }: { from: string; to: string }): { from: string; to: string } {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return { from: utcDay(2 * start - end - dayLength), to: utcDay(start - dayLength) };
}

/** Returns the metric of the address. */
export function metricOf(): MetricName {
  const { metric = "" } = route.value.query;
  return Object.hasOwn(metrics, metric) ? (metric as MetricName) : "visibility";
}

type Change = Pick<ComparedRow, "metric" | "brand" | "target" | "promptId">;

/** Returns the page that explains a change in the tracker of the address, with the filters of the address or others. */
export function whyAddress({ metric, brand, target, promptId }: Change, filters?: Query): string {
  const { rest, query } = route.value;
  const kept: Query = filters ?? { ...keptFilters(), prompt: query.prompt };
  // The target of a row is a target (chatassistant/US), a target on a surface (chatassistant/US@web), or all (*, *web).
  const [path, surface] = target.startsWith("*") ? ["", target.slice(1)] : target.split("@");
  return pageAddress(["trackers", rest[0], "why"], {
    ...kept,
    target: path || kept.target,
    surface: surface || kept.surface,
    prompt: promptId ? String(promptId) : kept.prompt,
    brand,
    metric: metric.split("@")[0],
  });
}

/** Returns the period since a change, of up to 28 days, so that the period before it ends right before the change. */
export function periodSince(tracker: Tracker, since: string): Query {
  const end = Math.min(Date.parse(since) + (usualDays - 1) * dayLength, Date.now());
  return { from: dayIn(tracker, Date.parse(since)), to: dayIn(tracker, end) };
}

/**
 * Returns the page of the answers behind a number, from the URL that the API returns for them. With a brand, the page
 * shows only answers that name the brand. The page has fields for one target and one tag; the rest stays a filter.
 */
export function answersAddress(tracker: string, answersUrl: string, brand?: string): string {
  const { filter = "", ...wanted } = Object.fromEntries(new URL(answersUrl, "http://api.invalid").searchParams);
  const parts = filter ? filter.split(",") : [];
  const only = (name: string) => {
    const values = parts.filter((part) => part.startsWith(`${name}:`));
    return values.length === 1 ? values[0].slice(name.length + 1) : undefined;
  };
  const [target, tag] = [only("target"), only("tag")];
  const rest = parts.filter((part) => part !== `target:${target}` && part !== `tag:${tag}`);
  // The filters of the page are in the URL already, as far as the number depends on them.
  const query = { ...wanted, target, tag, brand, filter: rest.join(",") };
  return pageAddress(["trackers", tracker, "answers"], query);
}
