import assert from "node:assert/strict";
import test from "node:test";
import type { LedgerEntry } from "earshot";
import { booked } from "../src/usage/balances";

const entry = (id: string, at: string, credits: number): LedgerEntry => ({
  id,
  at,
  kind: credits > 0 ? "grant" : "charge",
  credits,
  taskId: null,
  note: null,
});

// Sorted by ID, like the response of the API: task b started before c and was charged after c.
const entries = [
  entry("c", "2026-09-08T10:00:01.000Z", -3),
  entry("b", "2026-09-08T10:00:02.000Z", -5),
  entry("a", "2026-09-08T09:00:00.000Z", 100),
];

test("sort the ledger by time and add balances", () => {
  assert.deepEqual(
    booked(entries, true).map(({ id, balance }) => [id, balance]),
    [
      ["b", 92],
      ["c", 97],
      ["a", 100],
    ],
  );
});

test("leave out balances until all entries are loaded", () => {
  assert.deepEqual(
    booked(entries.slice(0, 2), false).map(({ id, balance }) => [id, balance]),
    [
      ["b", null],
      ["c", null],
    ],
  );
});

test("sort entries of the same time by ID", () => {
  const at = "2026-09-08T09:00:00.000Z";
  assert.deepEqual(
    booked([entry("z", at, 50), entry("y", at, -50), entry("x", at, 50)], true).map(({ id, balance }) => [id, balance]),
    [
      ["z", 50],
      ["y", 0],
      ["x", 50],
    ],
  );
});
