import assert from "node:assert/strict";
import test from "node:test";
import type { LedgerEntry } from "../src/api.gen";
import { booked } from "../src/usage/balances";

const entry = (id: string, at: string, credits: number): LedgerEntry => ({
  id,
  at,
  kind: credits > 0 ? "grant" : "charge",
  credits,
  taskId: null,
  note: null,
});

// By id, as the API gives them: the task b began before c and was charged after it.
const entries = [
  entry("c", "2026-09-08T10:00:01.000Z", -3),
  entry("b", "2026-09-08T10:00:02.000Z", -5),
  entry("a", "2026-09-08T09:00:00.000Z", 100),
];

test("the ledger in the order of time, with the balance after each entry", () => {
  assert.deepEqual(
    booked(entries, true).map(({ id, balance }) => [id, balance]),
    [
      ["b", 92],
      ["c", 97],
      ["a", 100],
    ],
  );
});

test("no balance before all entries are known", () => {
  assert.deepEqual(
    booked(entries.slice(0, 2), false).map(({ id, balance }) => [id, balance]),
    [
      ["b", null],
      ["c", null],
    ],
  );
});

test("entries of one moment stay in the order of their ids", () => {
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
