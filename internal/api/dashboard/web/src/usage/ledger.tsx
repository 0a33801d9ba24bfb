// The ledger: all changes of the balance.
import { useEffect, useState } from "preact/hooks";
import { call, retryRateLimited } from "../api";
import type { LedgerEntry, LedgerKind } from "../api.gen";
import { csvFile, download } from "../file";
import { choices, openAPI } from "../openapi";
import { may } from "../session";
import { calm, useLivePages } from "../tasks/live";
import { productName } from "../names";
import { stateName } from "../tasks/pieces";
import { booked, type Booked } from "./balances";
import { When } from "../time";
import { type Column, Table } from "../table";
import { Button, counted, Empty, Loading, NeedsAdmin, number, Problem, Select, useLoad } from "../ui";

const columns: Column<Booked>[] = [
  { name: "Time", value: (entry) => entry.at, show: (entry) => <When at={entry.at} /> },
  { name: "Kind", value: (entry) => entry.kind, show: (entry) => <span class="badge">{stateName(entry.kind)}</span> },
  {
    name: "Credits",
    numeric: true,
    value: (entry) => entry.credits,
    show: (entry) => (
      <span class={entry.credits > 0 ? "good" : undefined}>
        {entry.credits > 0 && "+"}
        {number(entry.credits)}
      </span>
    ),
  },
  { name: "Balance", numeric: true, value: (entry) => entry.balance, show: (entry) => number(entry.balance) },
  { name: "Note", value: (entry) => productName(entry.note ?? "") },
  {
    name: "Task",
    value: (entry) => entry.taskId,
    show: (entry) =>
      entry.taskId && (
        <a href={`#/history/${entry.taskId}`}>
          <code>{entry.taskId}</code>
        </a>
      ),
  },
];

export function Ledger() {
  return (
    <section class="card" aria-labelledby="ledger-head">
      <h2 id="ledger-head">Ledger</h2>
      {may("admin") ? <Entries /> : <NeedsAdmin what="The ledger" />}
    </section>
  );
}

function Entries() {
  const [kind, setKind] = useState<LedgerKind>();
  const kinds = useLoad(() => choices("LedgerKind"), []).value ?? [];
  return (
    <>
      <div class="usage-filters">
        <label class="field">
          Kind
          <Select
            all="All"
            value={kind ?? ""}
            options={kinds.map((name) => [name, stateName(name)])}
            onChoose={(chosen) => setKind(kinds.find((name) => name === chosen))}
            data-testid="ledger-kind"
          />
        </label>
        <Export key={kind} kind={kind} />
      </div>
      <Rows key={kind} kind={kind} />
    </>
  );
}

function Rows({ kind }: { kind?: LedgerKind }) {
  const { rows, error, more, again } = useLivePages(async (cursor, signal) => {
    const { entries, nextCursor } = await call("GET /v1/ledger", { query: { kind, cursor }, signal });
    return { rows: entries, nextCursor };
  }, calm);
  const complete = !kind && !more;
  return (
    <>
      <Loading of={{ value: rows, error, again }} />
      {rows?.length === 0 && <Empty title="No entries" />}
      {!!rows?.length && !complete && (
        <p class="faint">
          {kind ? "Choose “All” to see balances." : "Load all entries to see balances. The export includes them."}
        </p>
      )}
      {!!rows?.length && (
        <Table rows={booked(rows, complete)} columns={columns} label="Ledger" rowKey={(entry) => entry.id} />
      )}
      {more && <Button text="Load more" class="usage-more" onClick={more} data-testid="ledger-more" />}
    </>
  );
}

function Export({ kind }: { kind: LedgerKind | undefined }) {
  const [count, setCount] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [stop, setStop] = useState<AbortController>();
  useEffect(() => () => stop?.abort(), [stop]);
  const start = async () => {
    const control = new AbortController();
    setStop(control);
    setError(undefined);
    setCount(0);
    try {
      download(await exportLedger(kind, control.signal, setCount), `ledger${kind ? `-${kind}` : ""}.csv`);
    } catch (problem) {
      if (!control.signal.aborted) setError(problem);
    }
    setStop(undefined);
  };
  return (
    <>
      {stop ? (
        <Button text="Stop" onClick={() => stop.abort()} />
      ) : (
        <Button text="Export CSV" onClick={start} data-testid="ledger-export" />
      )}
      <span class="faint" role="status">
        {count !== undefined && `${counted(count, "entry", "entries")}${stop ? " so far…" : ""}`}
      </span>
      <Problem error={error} />
    </>
  );
}

const csvColumns: (keyof Booked)[] = ["at", "kind", "credits", "balance", "note", "taskId", "id"];

/** Reads the whole ledger, and reports the number of entries after each page. */
async function exportLedger(
  kind: LedgerKind | undefined,
  signal: AbortSignal,
  onProgress: (entries: number) => void,
): Promise<Blob> {
  const { parameters } = (await openAPI()).paths["/v1/ledger"].get ?? {};
  const limit = parameters?.find(({ name }) => name === "limit")?.schema.maximum;
  const entries: LedgerEntry[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await retryRateLimited(
      () => call("GET /v1/ledger", { query: { kind, limit, cursor }, signal }),
      signal,
    );
    entries.push(...page.entries);
    onProgress(entries.length);
    if (!page.nextCursor)
      return csvFile([csvColumns, ...booked(entries, !kind).map((entry) => csvColumns.map((column) => entry[column]))]);
    cursor = page.nextCursor;
  }
}
