// Sending many tasks: in pieces that the server takes, as fast as it lets us.
import { call, patiently } from "../api";
import { openAPI } from "../openapi";
import { explain } from "./pieces";
import type { Row } from "./rows";

/** Bodies stay well below what the server takes, whatever language the prompts are in. */
const maxBytes = 4 << 20;

/** How many tasks one submission may have. */
export async function maxItems(): Promise<number> {
  const { post } = (await openAPI()).paths["/v1/async/task/batch"];
  return post?.requestBody?.content?.["application/json"].schema?.maxItems ?? 1;
}

/** The rows from start on that fit into one request. */
export function chunk(rows: Row[], start: number, max: number): Row[] {
  const encoder = new TextEncoder();
  let bytes = 0;
  let end = start;
  while (end < rows.length && end - start < max) {
    bytes += encoder.encode(JSON.stringify(rows[end].request)).length + 1;
    if (bytes > maxBytes && end > start) break;
    end++;
  }
  return rows.slice(start, end);
}

/** Has every row checked and priced by the server. Gives the rows anew, after each piece. */
export async function price(rows: Row[], signal: AbortSignal, onChecked: (rows: Row[], checked: number) => void) {
  const priced = [...rows];
  const places = rows.flatMap((row, place) => (row.fault ? [] : [place]));
  const sound = places.map((place) => rows[place]);
  const max = await maxItems();
  for (let at = 0; at < sound.length;) {
    const piece = chunk(sound, at, max);
    const { items } = await patiently(() => call("POST /v1/quote", { body: piece.map((row) => row.request), signal }), signal);
    for (const item of items) {
      const place = places[at + item.index];
      priced[place] = { ...rows[place], credits: item.creditsToCharge, fault: item.success ? undefined : explain(item.error) };
    }
    at += piece.length;
    onChecked([...priced], at);
  }
}
