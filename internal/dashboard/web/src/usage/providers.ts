import { choices } from "../state";
import type { Series } from "../plot";
import { useLoad } from "../ui";

/** The providers in the order of the API's description, in which they get their colours. */
export const useProviders = (): string[] => useLoad(() => choices("Provider"), []).value ?? [];

/** One series for each provider that has a row; each has the same colour in every plot. */
export function byProvider<Row extends { provider: string }>(
  rows: Row[], known: string[], x: string[], at: (row: Row) => string, value: (row: Row) => number | null, none: number | null,
): Series[] {
  const present = new Set(rows.map((row) => row.provider));
  const order = [...new Set([...known, ...[...present].sort()])];
  const places = new Map(x.map((key, i) => [key, i]));
  return order.filter((name) => present.has(name)).map((name) => {
    const values = x.map((): number | null => none);
    for (const row of rows) {
      const place = places.get(at(row));
      if (row.provider === name && place !== undefined) values[place] = value(row);
    }
    return { name, values, color: order.indexOf(name) };
  });
}
