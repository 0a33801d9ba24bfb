// The list of calls, tasks, batches and sweeps. Its filters are in the address, by the names of the API.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import type { RequestRecord } from "earshot";
import { csvOf, download, type CSVValue } from "../file";
import { choices } from "../openapi";
import { may } from "../session";
import { addressOf, countries, countryName, countryOptions, changeQuery, route } from "../state";
import { useLive } from "../tasks/live";
import { stateName } from "../tasks/pieces";
import { ChoiceField, DropFilters, Pills, SearchField } from "../query";
import { productName } from "../names";
import { timeText } from "../time";
import { Button, Copy, counted, Empty, number, Problem, Select, Spinner, type Choice } from "../ui";
import {
  maxSweeps,
  names,
  readAll,
  readBatches,
  readRequests,
  readSweeps,
  type Entry,
  type Filters,
  type Listed,
} from "./entries";
import { Again, RetryAll, RetryFailed } from "./retry";
import { EntryTable } from "./table";

type Read = (pages: number, signal: AbortSignal) => Promise<Listed>;

const made = { batches: readBatches, sweeps: readSweeps };
const isMade = (path: string | undefined): path is keyof typeof made => !!path && Object.hasOwn(made, path);

export function Requests() {
  const { query, rest } = route.value;
  const [path] = rest;
  const filters: Filters = Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const filtered = Object.keys(filters).length > 0;
  // Without a filter, the tasks of a batch or sweep are one row; with a filter, all tasks are searched.
  const read: Read = isMade(path)
    ? made[path]
    : filtered
      ? (pages, signal) => readRequests(filters, pages, signal)
      : readAll;
  return (
    <>
      <FilterLine of={filters} path={path} />
      <Rows
        key={`${path} ${JSON.stringify(filters)}`}
        read={read}
        pause={filtered || path === "batches" ? undefined : sweepPause}
        onEmpty={<Nothing of={filters} path={path} />}
      />
      {path === "sweeps" ? (
        <AsCall path="/v1/trackers/NAME/sweeps" query={{ limit: maxSweeps }} />
      ) : path === "batches" ? (
        <AsCall path="/v1/batches" />
      ) : (
        <AsCall path="/v1/requests" query={filtered ? filters : { alone: true }} />
      )}
    </>
  );
}

function Nothing({ of, path }: { of: Filters; path?: string }) {
  const given = Object.keys(of);
  if (path === "batches")
    return <Empty title="No batches yet">{may("tasks") && <a href="#/history/batch">Submit a batch</a>}</Empty>;
  if (path === "sweeps")
    return (
      <Empty title="No sweeps yet">
        A sweep is one run of a <a href="#/trackers">tracker</a>.
      </Empty>
    );
  if (given.length)
    return (
      <Empty title="No requests match these filters">
        <DropFilters names={given} />
      </Empty>
    );
  return (
    <Empty title="No requests yet">
      Try the <a href="#/playground">playground</a>
      {may("tasks") && (
        <>
          , or <a href="#/history/batch">submit a batch</a>
        </>
      )}
      .
    </Empty>
  );
}

const countriesByName = async () => countryOptions(await countries()).map(([code]) => code);

function FilterLine({ of, path = "" }: { of: Filters; path?: string }) {
  const kinds = [
    { title: "All", to: addressOf(["history"], { ...of, mode: undefined }), on: !path && !of.mode },
    { title: "Calls", to: addressOf(["history"], { ...of, mode: "sync" }), on: !path && of.mode === "sync" },
    { title: "Tasks", to: addressOf(["history"], { ...of, mode: "async" }), on: !path && of.mode === "async" },
    { title: "Batches", to: "#/history/batches", on: path === "batches" },
    { title: "Sweeps", to: "#/history/sweeps", on: path === "sweeps" },
  ];
  return (
    <>
      <div class="history-filters" role="group" aria-label="Filters">
        {!path && <SearchField name="q" label="Search prompts" maxLength={1000} />}
        <span class="segments" role="group" aria-label="Kind">
          {kinds.map(({ title, to, on }) => (
            <a key={title} href={to} aria-current={on ? "true" : undefined}>
              {title}
            </a>
          ))}
        </span>
        {!path && (
          <>
            <ChoiceField name="status" all="Any state" values={() => choices("Status")} show={stateName} />
            <ChoiceField name="errorReason" all="Any reason" values={() => choices("Reason")} />
            <ChoiceField name="provider" all="Any platform" values={() => choices("Provider")} show={productName} />
            <ChoiceField name="country" all="Any country" values={countriesByName} show={countryName} />
            <Since value={of.from} />
            <Pills of={{ tracker: of.tracker, batch: of.batch, to: of.to }} />
          </>
        )}
      </div>
      <p class="history-address faint">
        <Copy text={location.href} label="Copy link" />
      </p>
    </>
  );
}

const spans = { "Last 15 minutes": 15, "Last hour": 60, "Last 6 hours": 360 };

/** Filters by time. The address holds a fixed time, so that a shared link shows the same requests. */
function Since({ value }: { value?: string }) {
  const since = (minutes: string) =>
    changeQuery({ from: minutes && new Date(Date.now() - Number(minutes) * 60_000).toISOString() });
  const options: Choice[] = Object.entries(spans).map(([text, minutes]) => [String(minutes), text]);
  return (
    <Select
      id="filter-from"
      aria-label="Since"
      all="Any time"
      value={value ? "given" : ""}
      options={value ? [["given", `Since ${timeText(value)}`], ...options] : options}
      onChoose={(choice) => choice !== "given" && since(choice)}
    />
  );
}

/** The calls and tasks that match filters. */
export const RequestRows = ({ filters, onEmpty }: { filters: Filters; onEmpty: preact.ComponentChildren }) => (
  <Rows read={(pages, signal) => readRequests(filters, pages, signal)} onEmpty={onEmpty} />
);

/** Reading sweeps takes one request per tracker, so they are read less often. */
const sweepPause = 5000;

function Rows({ read, onEmpty, pause = 1000 }: { read: Read; onEmpty: preact.ComponentChildren; pause?: number }) {
  const [pages, setPages] = useState(1);
  const { value, error, again } = useLive((signal) => read(pages, signal), [pages], pages * pause);
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [retries, setRetries] = useState<ReadonlyMap<string, string>>(new Map());
  const retried = (id: string, task: string) => {
    setRetries((before) => new Map(before).set(id, task));
    choose((before) => new Set([...before].filter((other) => other !== id)));
  };
  if (!value) return error ? <Problem error={error} /> : <Spinner />;
  const { rows, complete, leftOut } = value;
  const failed = rows.flatMap(({ request }) =>
    request?.status === "FAILED" && !retries.has(request.id) ? request : [],
  );
  const selected = failed.filter(({ id }) => chosen.has(id));
  const action = ({ id, request, batch }: Entry) =>
    request ? (
      <Again
        of={request}
        task={retries.get(id)}
        onRetried={(task) => {
          retried(id, task);
          again();
        }}
      />
    ) : (
      batch && <RetryFailed small of={batch} onRetried={again} />
    );
  return (
    <>
      <Problem error={error} />
      {!rows.length && complete && onEmpty}
      {!rows.length && !complete && <p class="faint">No matches among the newest requests</p>}
      {rows.length > 0 && (
        <section class="card history-table" data-testid="requests">
          <div class="history-bulk">
            <Summary of={rows} complete={complete} />
            {may("tasks") && (
              <>
                {failed.length > 0 && (
                  <Button
                    text={selected.length === failed.length ? "Clear selection" : `Select all ${failed.length} failed`}
                    class="small"
                    onClick={() => choose(new Set(selected.length === failed.length ? [] : failed.map(({ id }) => id)))}
                    data-testid="choose-failed"
                  />
                )}
                <RetryAll of={selected} onRetried={retried} onDone={again} />
              </>
            )}
            <Button
              text="CSV"
              class="small"
              onClick={() => download(csvOf(rows, csvColumns), "earshot-requests.csv")}
              data-testid="csv"
            />
          </div>
          <EntryTable
            rows={rows}
            select={
              may("tasks") && failed.length > 0
                ? {
                    chosen,
                    set: (id, on) =>
                      choose((before) => new Set(on ? [...before, id] : [...before].filter((other) => other !== id))),
                  }
                : undefined
            }
            action={may("tasks") ? action : undefined}
          />
        </section>
      )}
      {!complete && (
        <p>
          <Button
            text={rows.length ? "Load more" : "Search older requests"}
            onClick={() => setPages(pages + 1)}
            data-testid="more"
          />
        </p>
      )}
      {rows.some(({ kind }) => kind === "sweep") && (
        <p class="faint">
          Showing the last {maxSweeps} sweeps of each tracker
          {!!leftOut && `, without ${counted(leftOut, "tracker")} that ran longer ago`}
        </p>
      )}
    </>
  );
}

/** The numbers of the listed entries by kind and state. */
function Summary({ of, complete }: { of: Entry[]; complete: boolean }) {
  const kinds = (["call", "task", "batch", "sweep"] as const).flatMap((kind) => {
    const count = of.filter((one) => one.kind === kind).length;
    return count ? [counted(count, kind, kind === "batch" ? "batches" : undefined)] : [];
  });
  const states: [RequestRecord["status"], string][] = [
    ["COMPLETED", "good"],
    ["FAILED", "bad"],
    ["PROCESSING", ""],
    ["QUEUED", ""],
  ];
  const count = (status: string) => of.filter(({ request }) => request?.status === status).length;
  return (
    <span class="history-summary" data-testid="summary">
      <strong>{kinds.join(", ")}</strong>
      {!complete && " loaded"}
      {states
        .filter(([status]) => count(status))
        .map(([status, look]) => (
          <span key={status} class={look}>
            {" "}
            · {number(count(status))} {stateName(status).toLowerCase()}
          </span>
        ))}
    </span>
  );
}

/** The columns of the CSV file, by their names. */
const csvColumns: Record<string, (row: Entry) => CSVValue> = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  state: ({ state }) => state.toLowerCase(),
  provider: ({ request }) => request?.provider,
  country: ({ country }) => country,
  question: ({ title }) => title,
  progress: ({ note }) => note,
  tracker: ({ tracker }) => tracker,
  createdAt: ({ at }) => at,
  finishedAt: ({ request }) => request?.finishedAt,
  latencyMs: ({ took }) => took,
  attempts: ({ attempts }) => attempts,
  creditsCharged: ({ charged }) => charged,
  errorCode: ({ request }) => request?.error?.code,
  reason: ({ reason }) => reason,
  errorMessage: ({ why }) => why,
};
