// The batches that were handed in, newest first.
import { call } from "../api";
import type { BatchFailure, BatchRecord } from "../api.gen";
import { addressOf } from "../state";
import { useLivePages } from "../tasks/live";
import { inWords } from "../tasks/pieces";
import { Empty, number, Problem, Spinner, Table, When, type Column } from "../ui";

export function Batches() {
  const { rows, error, more } = useLivePages(async (cursor, signal) => {
    const { batches, nextCursor } = await call("GET /v1/batches", { query: { cursor }, signal });
    return { rows: batches, nextCursor };
  });
  return (
    <>
      <Problem error={error} />
      {!rows && !error && <Spinner />}
      {rows?.length === 0 && <Empty title="No batches yet"><a href="#/history/batch">Submit one</a>, or send many tasks with <code>POST /v1/async/task/batch</code>.</Empty>}
      {!!rows?.length && <section class="card history-table" data-testid="batches"><Table label="Batches" rows={rows} columns={columns} rowKey={({ id }) => id} /></section>}
      {more && <p><button type="button" onClick={more} data-testid="more">Load more</button></p>}
    </>
  );
}

const open = ({ queued, processing }: BatchRecord) => queued + processing;

/** What a batch does, in a word. */
export const stateOf = (batch: BatchRecord) => (open(batch) ? "running" : batch.failed ? "ended, some failed" : "done");

/** Why tasks failed, in words: 4 blocked, 3 timeout. */
export const failuresOf = (failures: BatchFailure[]) => failures.map(({ code, reason, tasks }) => `${number(tasks)} ${reason ?? inWords(code).replaceAll("_", " ")}`).join(", ");

const columns: Column<BatchRecord>[] = [
  { name: "Handed in", value: ({ createdAt }) => createdAt, show: ({ id, createdAt }) => <a href={addressOf(["history", "batches", id])} title={id}><When at={createdAt} /></a> },
  { name: "State", value: stateOf, show: (batch) => <span class={`badge ${open(batch) ? "warn" : batch.failed ? "bad" : "good"}`}>{stateOf(batch)}</span> },
  { name: "Tasks", value: ({ total }) => total, show: ({ total }) => number(total), numeric: true },
  { name: "Completed", value: ({ completed }) => completed, show: ({ completed }) => number(completed), numeric: true },
  { name: "Failed", value: ({ failed }) => failed, show: ({ failed }) => <span class={failed ? "bad" : "faint"}>{number(failed)}</span>, numeric: true },
  { name: "Why", value: ({ failures }) => failuresOf(failures), wide: true },
  { name: "Waiting or running", value: open, show: (batch) => number(open(batch)), numeric: true },
  { name: "Refused or removed", value: ({ refused, removed }) => refused + removed, show: ({ refused, removed }) => number(refused + removed), numeric: true },
  { name: "Credits", value: ({ credits }) => credits.creditsCharged, show: ({ credits }) => <>{number(credits.creditsCharged)} <span class="faint">of at most {number(credits.creditsToCharge)}</span></>, numeric: true },
];
