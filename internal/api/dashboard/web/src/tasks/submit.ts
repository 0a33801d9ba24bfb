// Splits a batch into requests that the server accepts.
import type { BatchFileRow } from "earshot";
import { openAPI } from "../openapi";

/** The most bytes of a request, well below the server's limit. */
const maxBytes = 4 << 20;

/** Returns the most tasks of one request. */
export async function maxItems(): Promise<number> {
  const { post } = (await openAPI()).paths["/v1/async/task/batch"];
  return post?.requestBody?.content?.["application/json"].schema?.maxItems ?? 1;
}

/** Returns the rows from start on that fit into one request. */
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
