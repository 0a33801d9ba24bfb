// Sending many tasks: in pieces that the server takes, as fast as it lets us.
import type { BatchFileRow } from "../api.gen";
import { openAPI } from "../openapi";

/** Bodies stay well below what the server takes, whatever language the prompts are in. */
const maxBytes = 4 << 20;

/** How many tasks one submission may have. */
export async function maxItems(): Promise<number> {
  const { post } = (await openAPI()).paths["/v1/async/task/batch"];
  return post?.requestBody?.content?.["application/json"].schema?.maxItems ?? 1;
}

/** The rows from start on that fit into one request. */
export function chunk(rows: BatchFileRow[], start: number, max: number): BatchFileRow[] {
  const encoder = new TextEncoder();
  let bytes = 0;
  let end = start;
  while (end < rows.length && end - start < max) {
    bytes += encoder.encode(JSON.stringify(rows[end].task)).length + 1;
    if (bytes > maxBytes && end > start) break;
    end++;
  }
  return rows.slice(start, end);
}
