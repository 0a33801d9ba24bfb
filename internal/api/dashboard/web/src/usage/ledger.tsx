// The ledger: all changes of the balance.
import { useEffect, useRef, useState } from "preact/hooks";
import { call, patiently } from "../api";
import type { LedgerEntry, LedgerKind } from "../api.gen";
import { csvFile, download } from "../file";
import { choices, openAPI } from "../openapi";
import { may } from "../session";
import { booked, type Booked } from "./balances";
import { When } from "../time";
import {
  Button,
  type Column,
  counted,
  Empty,
  NeedsAdmin,
  number,
  Problem,
  Select,
  Spinner,
  Table,
  useLoad,
} from "../ui";

const columns: Column<Booked>[] = [
  { name: "Time", value: (entry) => entry.at, show: (entry) => <When at={entry.at} /> },
  { name: "Kind", value: (entry) => entry.kind, show: (entry) => <span class="badge">{entry.kind}</span> },
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
  { name: "Note", value: (entry) => entry.note },
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
  const pages = usePages(kind);
  const complete = !kind && !pages.more;
  return (
    <>
      <div class="usage-filters">
        <label class="field">
          Kind
          <Select
            all="All"
            value={kind ?? ""}
            options={kinds}
            onChoose={(chosen) => setKind(kinds.find((name) => name === chosen))}
            data-testid="ledger-kind"
          />
        </label>
        <Button text="Refresh" disabled={pages.busy} onClick={pages.again} />
        <Export key={kind} kind={kind} />
      </div>
      <Problem error={pages.error} />
      {pages.entries?.length === 0 && <Empty title="No entries" />}
      {!!pages.entries?.length && !complete && (
        <p class="faint">
          {kind ? "Choose “All” to see balances." : "Load all entries to see balances. The export includes them."}
        </p>
      )}
      {!!pages.entries?.length && (
        <Table rows={booked(pages.entries, complete)} columns={columns} label="Ledger" rowKey={(entry) => entry.id} />
      )}
      {pages.busy && <Spinner />}
      {pages.more && !pages.busy && (
        <Button text="Load more" class="usage-more" onClick={pages.more} data-testid="ledger-more" />
      )}
    </>
  );
}

/** Reads the entries of a kind, page by page. */
function usePages(kind: LedgerKind | undefined) {
  const [entries, setEntries] = useState<LedgerEntry[]>();
  const [cursor, setCursor] = useState<string | null>(null);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const stop = useRef(new AbortController());
  const load = async (before: LedgerEntry[], from: string | null) => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setBusy(true);
    try {
      const page = await call("GET /v1/ledger", { query: { kind, cursor: from ?? undefined }, signal });
      if (signal.aborted) return;
      setEntries([...before, ...page.entries]);
      setCursor(page.nextCursor);
      setError(undefined);
    } catch (problem) {
      if (!signal.aborted) setError(problem);
    }
    if (!signal.aborted) setBusy(false);
  };
  useEffect(() => {
    setEntries(undefined);
    setCursor(null);
    void load([], null);
    return () => stop.current.abort();
  }, [kind]);
  return {
    entries,
    error,
    busy,
    again: () => load([], null),
    more: cursor ? () => load(entries ?? [], cursor) : undefined,
  };
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
    const page = await patiently(() => call("GET /v1/ledger", { query: { kind, limit, cursor }, signal }), signal);
    entries.push(...page.entries);
    onProgress(entries.length);
    if (!page.nextCursor)
      return csvFile([csvColumns, ...booked(entries, !kind).map((entry) => csvColumns.map((column) => entry[column]))]);
    cursor = page.nextCursor;
  }
}
