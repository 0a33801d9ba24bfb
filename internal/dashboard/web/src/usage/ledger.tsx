// Every change of the balance.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get } from "../api";
import { choices } from "../state";
import { NeedsAdmin } from "../keys/admin";
import { type Column, Empty, number, Problem, Spinner, Table, useLoad, When } from "../ui";
import { download } from "../file";
import { exportLedger } from "./export";

export interface Entry { id: string; at: string; kind: string; credits: number; taskId: string | null; note: string | null }

const columns: Column<Entry>[] = [
  { name: "Time", value: (entry) => entry.at, show: (entry) => <When at={entry.at} /> },
  { name: "Kind", value: (entry) => entry.kind, show: (entry) => <span class="badge">{entry.kind}</span> },
  {
    name: "Credits", numeric: true, value: (entry) => entry.credits,
    show: (entry) => <span class={entry.credits > 0 ? "good" : undefined}>{entry.credits > 0 && "+"}{number(entry.credits)}</span>,
  },
  { name: "Note", value: (entry) => entry.note },
  { name: "Task", value: (entry) => entry.taskId, show: (entry) => entry.taskId && <a href={`#/tasks/${entry.taskId}`}><code>{entry.taskId}</code></a> },
];

export function Ledger() {
  const [kind, setKind] = useState("");
  const kinds = useLoad(() => choices("LedgerKind"), []).value ?? [];
  const pages = usePages(kind);
  const forbidden = pages.error instanceof ApiError && pages.error.status === 403;
  return (
    <section class="card" aria-labelledby="ledger-head">
      <h2 id="ledger-head">Ledger</h2>
      {forbidden ? <NeedsAdmin what="The ledger" /> : (
        <>
          <div class="usage-filters">
            <label class="field">Kind
              <select value={kind} onChange={(e) => setKind(e.currentTarget.value)} data-testid="ledger-kind">
                <option value="">all</option>
                {kinds.map((name) => <option key={name} value={name}>{name}</option>)}
              </select>
            </label>
            <button type="button" disabled={pages.busy} onClick={pages.again}>Refresh</button>
            <Export key={kind} kind={kind} />
          </div>
          <Problem error={pages.error} />
          {pages.entries?.length === 0 && <Empty title="No entries"><p>{kind ? "Choose another kind." : "The first grant or charge appears here."}</p></Empty>}
          {!!pages.entries?.length && <Table rows={pages.entries} columns={columns} label="Ledger" rowKey={(entry) => entry.id} />}
          {pages.busy && <Spinner />}
          {pages.more && !pages.busy && <button type="button" class="usage-more" onClick={pages.more} data-testid="ledger-more">Load more</button>}
        </>
      )}
    </section>
  );
}

/** The entries of a kind, as many pages of them as were asked for. */
function usePages(kind: string) {
  const [entries, setEntries] = useState<Entry[]>();
  const [cursor, setCursor] = useState<string | null>(null);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const stop = useRef(new AbortController());
  const load = async (before: Entry[], from: string | null) => {
    const { signal } = (stop.current = new AbortController());
    const query = new URLSearchParams();
    if (kind) query.set("kind", kind);
    if (from) query.set("cursor", from);
    setBusy(true);
    try {
      const page = await get(`v1/ledger?${query}`, { signal });
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
  return { entries, error, busy, again: () => load([], null), more: cursor ? () => load(entries ?? [], cursor) : undefined };
}

function Export({ kind }: { kind: string }) {
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
      download(await exportLedger(kind, control.signal, setCount), `ledger${kind && "-" + kind}.csv`);
    } catch (problem) {
      if (!control.signal.aborted) setError(problem);
    }
    setStop(undefined);
  };
  return (
    <>
      {stop ? <button type="button" onClick={() => stop.abort()}>Stop</button> : <button type="button" onClick={start} data-testid="ledger-export">Export all as CSV</button>}
      <span class="faint" role="status">{count !== undefined && `${number(count)} entries ${stop ? "so far…" : "read"}`}</span>
      <Problem error={error} />
    </>
  );
}
