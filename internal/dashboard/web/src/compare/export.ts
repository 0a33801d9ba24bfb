// A comparison as a file.
import { csvFile } from "../file";
import type { Cell } from "./cells";
import { columnNames, domainMentions, entityMentions, type Mention } from "./shared";
import type { Comparison } from "./run";

/** Which answer cites which domain how often. */
export function csv(cells: Cell[]): Blob {
  const rows = domainMentions(cells).map(({ name, cells: count, counts }) => [name, count, ...counts]);
  return csvFile([["domain", "answers", ...columnNames(cells)], ...rows]);
}

export function json({ prompt, startedAt, cells }: Comparison): Blob {
  const columns = columnNames(cells);
  const named = ({ name, kind, counts, share }: Mention) =>
    ({ name, type: kind, share, counts: Object.fromEntries(columns.map((column, i) => [column, counts[i]])) });
  const text = JSON.stringify({
    prompt, startedAt, domains: domainMentions(cells).map(named), entities: entityMentions(cells).map(named),
    cells: cells.map(({ provider, country, phase, reply, error }) => ({ provider, country, phase, ...reply, error: told(error) })),
  }, null, 2);
  return new Blob([text], { type: "application/json" });
}

function told(error: unknown) {
  if (!(error instanceof Error)) return undefined;
  const { code, requestId } = error as { code?: string; requestId?: string };
  return { code, message: error.message, requestId };
}
