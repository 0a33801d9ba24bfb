// Dates and times. All pages write them as 17 Nov 2026 and 17 Nov 2026, 06:00.
import { signal } from "@preact/signals";

const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone of the page: a tracker's zone on its pages, otherwise the browser's. */
export const zone = signal(browserZone);

/** Sets the time zone of the page; a zone that the browser does not know, or none, means the browser's. */
export function setZone(name: string | undefined) {
  try {
    zone.value = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    zone.value = browserZone;
  }
}

function partsOf(at: string | number, timeZone: string): Record<string, string> {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" },
  } as const);
  return Object.fromEntries(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
}

export const dayLength = 86_400_000;

/** Returns the day of a time in UTC, such as 2026-11-17. */
export const utcDay = (time: number) => new Date(time).toISOString().slice(0, 10);

const isTime = (at: string | number) => !Number.isNaN(new Date(at).getTime());

/** Returns a date such as 17 Nov 2026. A day without a time, such as 2026-11-17, is the same in every zone. */
export function dateText(at: string | number): string {
  if (!isTime(at)) return String(at);
  const { day, month, year } = partsOf(at, /^\d{4}-\d\d-\d\d$/.test(String(at)) ? "UTC" : zone.value);
  return `${day} ${month} ${year}`;
}

/** Returns a time such as 17 Nov 2026, 06:00, in the zone of the page. */
export function timeText(at: string | number, seconds = false): string {
  if (!isTime(at)) return String(at);
  const { day, month, year, hour, minute, second } = partsOf(at, zone.value);
  return `${day} ${month} ${year}, ${hour}:${minute}${seconds ? `:${second}` : ""}`;
}

type WhenProps = { at: string | null | undefined; brief?: boolean };

/** A time in the zone of the page, without its seconds if brief; the API's value shows on hover. */
export function When({ at, brief }: WhenProps) {
  if (!at) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={at}>
      {timeText(at, !brief)}
    </time>
  );
}
