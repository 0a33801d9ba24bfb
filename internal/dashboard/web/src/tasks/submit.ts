// Sending many tasks: in pieces that the server takes, as fast as it lets us.
import { ApiError, post } from "../api";
import { openAPI } from "../state";
import type { Row } from "./rows";
import { explain } from "./types";

/** Bodies stay well below what the server takes, whatever language the prompts are in. */
const mostBytes = 4 << 20;

/** The most tasks in one submission. */
export async function mostItems(): Promise<number> {
  return (await openAPI()).components.schemas.TaskBatchRequest.maxItems;
}

/** The rows from start on that fit into one request. */
export function chunk(rows: Row[], start: number, most: number): Row[] {
  const encoder = new TextEncoder();
  let bytes = 0;
  let end = start;
  while (end < rows.length && end - start < most) {
    bytes += encoder.encode(JSON.stringify(rows[end].request)).length + 1;
    if (bytes > mostBytes && end > start) break;
    end++;
  }
  return rows.slice(start, end);
}

export const isRateLimit = (problem: unknown) => problem instanceof ApiError && problem.code === "RATE_LIMIT_EXCEEDED";

/** Does what is asked, and waits a second where the rate limit says no. */
export async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (problem) {
      if (!isRateLimit(problem) || signal.aborted) throw problem;
      await sleep(1000, signal);
    }
  }
}

/** Waits; aborting ends the wait with an error. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); fail(signal.reason); }, { once: true });
  });
}

/** Has every row checked and priced by the server. Gives the rows anew, after each piece. */
export async function price(rows: Row[], signal: AbortSignal, tell: (rows: Row[], checked: number) => void) {
  const priced = [...rows];
  const places = rows.flatMap((row, place) => (row.fault ? [] : [place]));
  const sound = places.map((place) => rows[place]);
  const most = await mostItems();
  for (let at = 0; at < sound.length;) {
    const piece = chunk(sound, at, most);
    const { items } = await patiently(() => post("v1/quote", piece.map((row) => row.request), { signal }), signal);
    for (const item of items) {
      const place = places[at + item.index];
      priced[place] = { ...rows[place], credits: item.creditsToCharge, fault: item.success ? undefined : explain(item.error) };
    }
    at += piece.length;
    tell([...priced], at);
  }
}
