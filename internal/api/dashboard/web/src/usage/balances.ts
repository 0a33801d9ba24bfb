// The ledger in order of time, with the balance after each entry.
import type { LedgerEntry } from "earshot";

/** An entry with the balance after it; null if earlier entries are not loaded. */
export type Booked = LedgerEntry & { balance: number | null };

/**
 * Sorts the entries of the ledger, the newest first. The API sorts them by ID, and a charge has the ID of its job,
 * which may have started long before. So the balances are known only once all entries are loaded.
 */
export function booked(entries: LedgerEntry[], complete: boolean): Booked[] {
  const inTime = [...entries].sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.id < b.id ? -1 : 1));
  let sum = 0;
  return inTime
    .map((entry) => {
      sum += entry.credits;
      return { ...entry, balance: complete ? sum : null };
    })
    .reverse();
}
