// The order of the prompts of a tracker.
import type { ComparedRow, MetricRow } from "earshot";

export const orders = {
  "-value": "Highest visibility first",
  value: "Lowest visibility first",
  change: "Largest fall first",
  "-change": "Largest rise first",
  text: "Prompt A–Z",
  asked: "Original order",
} as const;
export type Order = keyof typeof orders;

/** Returns the prompts that contain a text, in an order; changes has the change of each prompt by its number. */
export function sortedRows(
  rows: MetricRow[],
  order: Order,
  search: string,
  changes: Map<number | undefined, ComparedRow>,
): MetricRow[] {
  const found = rows.filter(({ prompt = "" }) => prompt.toLowerCase().includes(search.toLowerCase()));
  if (order === "asked") return found;
  if (order === "text") return found.sort((a, b) => (a.prompt ?? "").localeCompare(b.prompt ?? ""));
  const [name, sign] = order.startsWith("-") ? [order.slice(1), -1] : [order, 1];
  const key = (row: MetricRow) => (name === "value" ? row.value : changes.get(row.promptId)?.change);
  // Prompts without answers are last in both directions.
  return found.sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    return x == null || y == null ? Number(x == null) - Number(y == null) : sign * (x - y);
  });
}
