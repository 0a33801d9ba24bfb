// Addresses of tracking pages: #/trackers/{name}/{tab}/…?filters. What a page shows is in
// its address, so that it can be sent as a link and the way back leads to what was seen.
import type { Tracker } from "../api.gen";
import { route } from "../state";

export type Query = Record<string, string | undefined>;

/** The filters that all tabs of a tracker share; they stay when the tab changes. */
export const sharedFilters = ["days", "from", "to", "target", "provider", "country", "tag", "surface"] as const;

/** The address of a tab with its filters; parts follow the tab, such as the number of a prompt. */
export function addressOf(tracker: string, tab: string, query: Query = {}, ...parts: string[]): string {
  const path = ["trackers", tracker, tab, ...parts].map(encodeURIComponent).join("/");
  return withQuery(`#/${path}`, query);
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

/** The filters of the address that hold on every tab. */
export function keptFilters(): Query {
  return Object.fromEntries(sharedFilters.map((name) => [name, route.value.query[name]]));
}

/** Changes parts of the query and keeps the others; undefined and "" take one away. */
export function setQuery(changes: Query) {
  location.hash = withQuery(location.hash.split("?")[0] || "#/trackers", { ...route.value.query, ...changes });
}

/** The days that numbers are of, both included, in the tracker's time zone. */
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

/** Today where the tracker's clock hangs. */
function today(zone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat("en-CA", { timeZone: zone ?? "UTC", dateStyle: "short" }).format(new Date());
  } catch {
    return dayOf(Date.now()); // a zone that this browser does not know
  }
}

/** The period of the address: two days, or so many days up to today. */
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

/** The parameters of a request for numbers that the address asks for. */
export function numberQuery(tracker: Tracker): { from: string; to: string; filter?: string; branded?: boolean } {
  const { from, to } = periodOf(tracker);
  const { query } = route.value;
  const parts = (["surface", "target", "provider", "country", "tag", "prompt"] as const).flatMap((name) =>
    query[name] ? [`${name}:${query[name]}`] : [],
  );
  // One question is shown also when it names a brand itself.
  return { from, to, filter: parts.length ? parts.join(",") : undefined, branded: query.prompt ? true : undefined };
}

/**
 * The page of the answers behind a number, from the address that the API gives for them; with a brand, only of the
 * answers that name it. A target and a tag have fields on that page.
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
  return addressOf(tracker, "answers", { ...wanted, target, tag, brand, filter: rest.join(",") });
}
