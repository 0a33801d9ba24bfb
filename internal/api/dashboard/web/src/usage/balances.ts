// The ledger in the order of time, with the balance after each entry.
import type { LedgerEntry } from "../api.gen";

/** An entry with the balance after it; null where entries before it are not known. */
export type Booked = LedgerEntry & { balance: number | null };

/**
 * Entries of the ledger, the newest first. The API gives them by their ids, and a charge
 * has that of its job, which may have begun long before it was charged; so the balance
 * after an entry is known once all entries are.
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
