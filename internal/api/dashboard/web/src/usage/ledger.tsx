// The ledger: all changes of the balance.
import { useEffect, useState } from "preact/hooks";
import { call, retryRateLimited } from "../api";
import type { LedgerEntry, LedgerKind, LedgerPage } from "earshot";
import { csvFile, download } from "../file";
import { choices, openAPI } from "../openapi";
import { may } from "../session";
import { addressOf } from "../state";
import { calm, useLivePages } from "../tasks/live";
import { productName } from "../names";
import { stateName } from "../tasks/pieces";
import { booked, type Booked } from "./balances";
import { When } from "../time";
import { CardTable } from "../table";
import { Button, counted, Empty, Loading, NeedsAdmin, number, Problem, Select, useLoad } from "../ui";

const Credits = ({ of }: { of: number }) => (
  <span class={of > 0 ? "good" : undefined}>
    {of > 0 && "+"}
    {number(of)}
  </span>
);

const TaskLink = ({ id }: { id: string | null }) =>
  id ? (
    <a href={`#/history/${id}`}>
      <code>{id}</code>
    </a>
  ) : null;

/** The batch, sweep or task that was charged. */
function Charged({ of: { batch, sweep, tracker = "", tasks, taskId } }: { of: LedgerEntry }) {
  if (!batch && !sweep) return <TaskLink id={taskId} />;
  const address = batch
    ? addressOf(["history", "batches", batch])
    : addressOf(["trackers", tracker, "answers"], { sweep });
  return (
    <>
      <a href={address}>{batch ? "Batch" : `Sweep of ${tracker}`}</a>{" "}
      <span class="faint">{counted(tasks, "task")}</span>
    </>
  );
}

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

/** A page should have this many rows; a request reads at most so many entries, and may return fewer rows. */
const wantedRows = 20;
const mostRequests = 5;

function Rows({ kind }: { kind?: LedgerKind }) {
  const [open, setOpen] = useState<string>();
  const keys = useLoad((signal) => call("GET /v1/keys", { signal }), []).value?.keys;
  const { rows, error, more, again } = useLivePages(async (cursor, signal) => {
    const rows: LedgerEntry[] = [];
    let nextCursor: string | null | undefined = cursor;
    for (let n = 0; nextCursor !== null && rows.length < wantedRows && n < mostRequests; n++) {
      const page: LedgerPage = await call("GET /v1/ledger", {
        query: { kind, group: true, cursor: nextCursor },
        signal,
      });
      rows.push(...page.entries);
      nextCursor = page.nextCursor;
    }
    return { rows, nextCursor: nextCursor ?? null };
  }, calm);
  const complete = !kind && !more;
  const keyName = (id?: string) => keys?.find((key) => key.id === id)?.name || id;
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
        <CardTable
          rows={booked(rows, complete)}
          label="Ledger"
          rowKey={({ id }) => id}
          detail={({ id }) => open === id && <Charges of={id} />}
          cells={{
            Time: ({ at }) => <When at={at} />,
            Kind: ({ kind }) => <span class="badge">{stateName(kind)}</span>,
            "#Credits": ({ credits }) => <Credits of={credits} />,
            "#Balance": ({ balance }) => number(balance),
            "Charged for": (entry) => <Charged of={entry} />,
            Details: ({ id, batch, sweep, note }) =>
              batch || sweep ? (
                <Button
                  text={open === id ? "Hide charges" : "Show charges"}
                  class="small"
                  aria-expanded={open === id}
                  onClick={() => setOpen(open === id ? undefined : id)}
                />
              ) : (
                productName(note ?? "")
              ),
            Key: ({ keyId, sweep }) => (sweep || keyId === "tracker" ? "Tracker" : keyName(keyId)),
          }}
        />
      )}
      {more && <Button text="Load more" class="usage-more" onClick={more} data-testid="ledger-more" />}
    </>
  );
}

/** The charges of the tasks of a batch or sweep, one by one. */
function Charges({ of }: { of: string }) {
  const { rows, error, more, again } = useLivePages(async (cursor, signal) => {
    const { entries, nextCursor } = await call("GET /v1/ledger", { query: { of, cursor }, signal });
    return { rows: entries, nextCursor };
  }, calm);
  return (
    <>
      <Loading of={{ value: rows, error, again }} />
      {rows && (
        <CardTable
          label="Charges"
          rows={rows}
          rowKey={({ id }) => id}
          cells={{
            Time: ({ at }) => <When at={at} />,
            "#Credits": ({ credits }) => <Credits of={credits} />,
            Platform: ({ note }) => productName(note ?? ""),
            Task: ({ taskId }) => <TaskLink id={taskId} />,
          }}
        />
      )}
      {more && <Button text="Load more" onClick={more} />}
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

const csvColumns: (keyof Booked)[] = ["at", "kind", "credits", "balance", "note", "tracker", "keyId", "taskId", "id"];

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
