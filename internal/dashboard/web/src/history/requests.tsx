// The list of calls and tasks. What it shows is in the address, by the names of the API.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { Mode, Reason, RequestRecord, Status } from "../api.gen";
import { csvFile, download } from "../file";
import { choices, providers } from "../openapi";
import { countries, changeQuery, countryName, may, route } from "../state";
import { useLivePages } from "../tasks/live";
import { countryOf, explain, inWords, question } from "../tasks/pieces";
import { ChoiceField, DropFilters, Pills, SearchField } from "../query";
import { Copy, Empty, number, Problem, Spinner } from "../ui";
import { Again, RetryAll } from "./retry";
import { RequestTable, reasonOf } from "./table";

/** The filters of the API that the address may hold. */
const names = ["q", "mode", "status", "errorReason", "provider", "country", "tracker", "batch", "from", "to"] as const;
type Filters = Partial<Record<(typeof names)[number], string>>;

export function Requests() {
  const { query } = route.value;
  const filters: Filters = Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  return (
    <>
      <FilterLine of={filters} />
      <RequestRows key={JSON.stringify(filters)} filters={filters} onEmpty={<Nothing of={filters} />} />
    </>
  );
}

function Nothing({ of }: { of: Filters }) {
  const given = Object.keys(of);
  if (!given.length) return <Empty title="Nothing was asked yet">Ask something in the <a href="#/playground">playground</a>{may("tasks") && <>, or <a href="#/history/batch">submit a batch</a></>}; what was asked stays here for a while.</Empty>;
  return (
    <Empty title="No request is like that"><DropFilters names={given} /></Empty>
  );
}

const kinds: { mode?: Mode; title: string }[] = [{ title: "All" }, { mode: "sync", title: "Calls" }, { mode: "async", title: "Tasks" }];

const countriesByName = async () => (await countries()).sort((a, b) => countryName(a).localeCompare(countryName(b)));

function FilterLine({ of }: { of: Filters }) {
  return (
    <>
      <div class="history-filters" role="group" aria-label="Filters">
        <SearchField name="q" label="Search questions" maxLength={1000} />
        <span class="segments" role="group" aria-label="Kind">
          {kinds.map(({ mode, title }) => (
            <button key={title} type="button" aria-pressed={of.mode === mode} onClick={() => changeQuery({ mode })}>{title}</button>
          ))}
        </span>
        <ChoiceField name="status" all="Any state" values={() => choices("Status")} show={inWords} />
        <ChoiceField name="errorReason" all="Any reason" values={() => choices("Reason")} />
        <ChoiceField name="provider" all="Any provider" values={async () => (await providers()).map(({ name }) => name)} />
        <ChoiceField name="country" all="Any country" values={countriesByName} show={countryName} />
        <Since value={of.from} />
        <Pills of={{ tracker: of.tracker, batch: of.batch, to: of.to }} />
      </div>
      <p class="history-address faint">This view has an address that can be shared: <code>{location.hash}</code> <Copy text={location.href} label="Copy the address" /></p>
    </>
  );
}

const spans = { "Last 15 minutes": 15, "Last hour": 60, "Last 6 hours": 360 };

/** From when on: an address holds a moment, so that whoever opens it sees the same. */
function Since({ value }: { value?: string }) {
  const since = (minutes: string) => changeQuery({ from: minutes && new Date(Date.now() - Number(minutes) * 60_000).toISOString() });
  return (
    <select id="filter-from" aria-label="Since" value={value ? "given" : ""} onChange={(event) => { if (event.currentTarget.value !== "given") since(event.currentTarget.value); }}>
      <option value="">Any time</option>
      {value && <option value="given">Since {Number.isNaN(Date.parse(value)) ? value : new Date(value).toLocaleString()}</option>}
      {Object.entries(spans).map(([text, minutes]) => <option key={text} value={minutes}>{text}</option>)}
    </select>
  );
}

/** A page with a filter may find nothing and not be the last: a few more are looked through at once. */
const pagesAtOnce = 5;

/** The requests that match, with what can be done with them. */
export function RequestRows({ filters, onEmpty }: { filters: Filters; onEmpty: preact.ComponentChildren }) {
  const { rows, error, more, again } = useLivePages(async (cursor, signal) => {
    const rows: RequestRecord[] = [];
    let next: string | null | undefined = cursor;
    for (let page = 0; page < pagesAtOnce && next !== null && rows.length < 50; page++) {
      const { requests, nextCursor }: { requests: RequestRecord[]; nextCursor: string | null } = await call("GET /v1/requests", { query: { ...(filters as { mode?: Mode; status?: Status; errorReason?: Reason }), cursor: next }, signal });
      rows.push(...requests);
      next = nextCursor;
    }
    return { rows, nextCursor: next ?? null };
  });
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [anew, setAnew] = useState<ReadonlyMap<string, string>>(new Map());
  const retried = (id: string, task: string) => {
    setAnew((before) => new Map(before).set(id, task));
    choose((before) => new Set([...before].filter((other) => other !== id)));
  };
  if (!rows) return error ? <Problem error={error} /> : <Spinner />;
  const failed = rows.filter(({ id, status }) => status === "FAILED" && !anew.has(id));
  const selected = failed.filter(({ id }) => chosen.has(id));
  return (
    <>
      <Problem error={error} />
      {!rows.length && !more && onEmpty}
      {!rows.length && more && <p class="faint">Nothing like that among the newest; older ones were not looked through yet.</p>}
      {rows.length > 0 && (
        <section class="card history-table" data-testid="requests">
          <div class="history-bulk">
            <Summary of={rows} complete={!more} />
            {may("tasks") && (
              <>
                {failed.length > 0 && <button type="button" class="small" onClick={() => choose(new Set(selected.length === failed.length ? [] : failed.map(({ id }) => id)))} data-testid="choose-failed">
                  {selected.length === failed.length ? "Choose none" : `Choose all ${failed.length} failed`}
                </button>}
                <RetryAll of={selected} onRetried={retried} onDone={again} />
              </>
            )}
            <button type="button" class="small" onClick={() => download(asCSV(rows), "earshot-requests.csv")} data-testid="csv">CSV</button>
          </div>
          <RequestTable
            rows={rows}
            select={may("tasks") && failed.length > 0 ? { chosen, set: (id, on) => choose((before) => new Set(on ? [...before, id] : [...before].filter((other) => other !== id))) } : undefined}
            action={may("tasks") ? (row) => <Again of={row} task={anew.get(row.id)} onRetried={(task) => { retried(row.id, task); again(); }} /> : undefined}
          />
        </section>
      )}
      {more && <p><button type="button" onClick={more} data-testid="more">{rows.length ? "Load more" : "Look further"}</button></p>}
    </>
  );
}

/** How many of those that are listed have which state. */
function Summary({ of, complete }: { of: RequestRecord[]; complete: boolean }) {
  const count = (status: Status) => of.filter((one) => one.status === status).length;
  const states: [Status, string][] = [["COMPLETED", "good"], ["FAILED", "bad"], ["PROCESSING", ""], ["QUEUED", ""]];
  return (
    <span class="history-summary" data-testid="summary">
      <strong>{number(of.length)} {of.length === 1 ? "request" : "requests"}</strong>{!complete && " so far"}
      {states.filter(([status]) => count(status)).map(([status, look]) => <span key={status} class={look}> · {number(count(status))} {inWords(status)}</span>)}
    </span>
  );
}

const asCSV = (rows: RequestRecord[]) => csvFile([
  ["id", "mode", "status", "provider", "country", "question", "tracker", "createdAt", "finishedAt", "latencyMs", "attempts", "creditsCharged", "errorCode", "errorReason", "errorMessage"],
  ...rows.map((row) => [
    row.id, row.mode, row.status, row.provider, countryOf(row.payload), question(row.payload), row.tracker, row.createdAt, row.finishedAt, row.latencyMs, row.attempts,
    row.credits.creditsCharged, row.error?.code, reasonOf(row.error), explain(row.error),
  ]),
]);
