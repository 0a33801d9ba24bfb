// The whole ledger as a file.
import { ApiError, get } from "../api";
import { csvFile, type CSVValue } from "../file";
import { openAPI } from "../state";
import type { Entry } from "./ledger";

const columns: (keyof Entry)[] = ["id", "at", "kind", "credits", "taskId", "note"];
const patience = 1000;

/** Reads the ledger page by page and tells after each how many entries there are. */
export async function exportLedger(kind: string, signal: AbortSignal, onProgress: (entries: number) => void): Promise<Blob> {
  const api: any = await openAPI();
  const query = new URLSearchParams({ limit: String(api.components.parameters.Limit.schema.maximum) });
  if (kind) query.set("kind", kind);
  const rows: CSVValue[][] = [columns];
  for (;;) {
    const page = await patiently(() => get(`v1/ledger?${query}`, { signal }), signal);
    for (const entry of page.entries as Entry[]) rows.push(columns.map((column) => entry[column]));
    onProgress(rows.length - 1);
    if (!page.nextCursor) return csvFile(rows);
    query.set("cursor", page.nextCursor);
  }
}

/** A long export may meet the rate limit, which is one of a short time. */
async function patiently<T>(load: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let left = 10; ; left--) {
    try {
      return await load();
    } catch (problem) {
      if (!(problem instanceof ApiError) || problem.status !== 429 || left === 0) throw problem;
      await new Promise((done) => setTimeout(done, patience));
      signal.throwIfAborted();
    }
  }
}
