// The addresses of tracker pages: #/trackers/{name}/{tab}/…?filters. The address holds all filters of a page, so that
// it can be shared and the browser's back button works.
import type { Tracker } from "../api.gen";
import { addressOf as pageAddress, route } from "../state";

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
export function keptFilters(): Query {
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

const dayLength = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? "") && !Number.isNaN(Date.parse(text!));

/** Returns today's date in a time zone. */
function today(zone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat("en-CA", { timeZone: zone ?? "UTC", dateStyle: "short" }).format(new Date());
  } catch {
    return dayOf(Date.now()); // the browser does not know the zone
  }
}

/** Returns the period of the address: from and to, or a number of days up to today. */
export function periodOf(tracker: Tracker): Period {
  const { from, to, days } = route.value.query;
  const end = isDay(to) ? to : today(tracker.definition?.schedule?.timezone);
  const length = Math.min(Math.max(Math.floor(Number(days)) || usualDays, 1), 400);
  const start = isDay(from) && from <= end ? from : dayOf(Date.parse(end) - (length - 1) * dayLength);
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
