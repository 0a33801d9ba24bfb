// The list of calls, tasks, batches and sweeps. What it shows is in the address, by the names of the API.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import type { RequestRecord } from "../api.gen";
import { csvFile, download } from "../file";
import { choices, providers } from "../openapi";
import { may } from "../session";
import { addressOf, countries, countryName, changeQuery, route } from "../state";
import { useLive } from "../tasks/live";
import { inWords } from "../tasks/pieces";
import { ChoiceField, DropFilters, Pills, SearchField } from "../query";
import { Button, Copy, Empty, number, Problem, Spinner } from "../ui";
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
  const {
    query,
    rest: [path],
  } = route.value;
  const filters: Filters = Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const filtered = Object.keys(filters).length > 0;
  // Without a filter a batch or sweep stands for its tasks; a filter looks through all of them.
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
    return (
      <Empty title="No batches yet">
        {may("tasks") && (
          <>
            <a href="#/history/batch">Submit one</a>, or use <code>POST /v1/async/task/batch</code>.
          </>
        )}
      </Empty>
    );
  if (path === "sweeps")
    return (
      <Empty title="No sweeps yet">
        A <a href="#/trackers">tracker</a> asks its questions in sweeps, by its schedule or by hand.
      </Empty>
    );
  if (!given.length)
    return (
      <Empty title="Nothing was asked yet">
        Ask something in the <a href="#/playground">playground</a>
        {may("tasks") && (
          <>
            , or <a href="#/history/batch">submit a batch</a>
          </>
        )}
        ; what was asked stays here for a while.
      </Empty>
    );
  return (
    <Empty title="No request is like that">
      <DropFilters names={given} />
    </Empty>
  );
}

const countriesByName = async () => (await countries()).sort((a, b) => countryName(a).localeCompare(countryName(b)));

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
        {!path && <SearchField name="q" label="Search questions" maxLength={1000} />}
        <span class="segments" role="group" aria-label="Kind">
          {kinds.map(({ title, to, on }) => (
            <a key={title} href={to} aria-current={on ? "true" : undefined}>
              {title}
            </a>
          ))}
        </span>
        {!path && (
          <>
            <ChoiceField name="status" all="Any state" values={() => choices("Status")} show={inWords} />
            <ChoiceField name="errorReason" all="Any reason" values={() => choices("Reason")} />
            <ChoiceField
              name="provider"
              all="Any provider"
              values={async () => (await providers()).map(({ name }) => name)}
            />
            <ChoiceField name="country" all="Any country" values={countriesByName} show={countryName} />
            <Since value={of.from} />
            <Pills of={{ tracker: of.tracker, batch: of.batch, to: of.to }} />
          </>
        )}
      </div>
      <p class="history-address faint">
        This view has an address that can be shared: <code>{location.hash}</code>{" "}
        <Copy text={location.href} label="Copy the address" />
      </p>
    </>
  );
}

const spans = { "Last 15 minutes": 15, "Last hour": 60, "Last 6 hours": 360 };

/** From when on: an address holds a moment, so that whoever opens it sees the same. */
function Since({ value }: { value?: string }) {
  const since = (minutes: string) =>
    changeQuery({ from: minutes && new Date(Date.now() - Number(minutes) * 60_000).toISOString() });
  return (
    <select
      id="filter-from"
      aria-label="Since"
      value={value ? "given" : ""}
      onChange={(event) => {
        if (event.currentTarget.value !== "given") since(event.currentTarget.value);
      }}>
      <option value="">Any time</option>
      {value && (
        <option value="given">
          Since {Number.isNaN(Date.parse(value)) ? value : new Date(value).toLocaleString()}
        </option>
      )}
      {Object.entries(spans).map(([text, minutes]) => (
        <option key={text} value={minutes}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** The calls and tasks that filters pick. */
export const RequestRows = ({ filters, onEmpty }: { filters: Filters; onEmpty: preact.ComponentChildren }) => (
  <Rows read={(pages, signal) => readRequests(filters, pages, signal)} onEmpty={onEmpty} />
);

/** Sweeps take a request for each tracker. */
const sweepPause = 5000;

function Rows({ read, onEmpty, pause = 1000 }: { read: Read; onEmpty: preact.ComponentChildren; pause?: number }) {
  const [pages, setPages] = useState(1);
  const { value, error, again } = useLive((signal) => read(pages, signal), [pages], pages * pause);
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [anew, setAnew] = useState<ReadonlyMap<string, string>>(new Map());
  const retried = (id: string, task: string) => {
    setAnew((before) => new Map(before).set(id, task));
    choose((before) => new Set([...before].filter((other) => other !== id)));
  };
  if (!value) return error ? <Problem error={error} /> : <Spinner />;
  const { rows, complete, leftOut } = value;
  const failed = rows.flatMap(({ request }) => (request?.status === "FAILED" && !anew.has(request.id) ? request : []));
  const selected = failed.filter(({ id }) => chosen.has(id));
  const action = ({ id, request, batch }: Entry) =>
    request ? (
      <Again
        of={request}
        task={anew.get(id)}
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
      {!rows.length && !complete && (
        <p class="faint">Nothing like that among the newest; older ones were not looked through yet.</p>
      )}
      {rows.length > 0 && (
        <section class="card history-table" data-testid="requests">
          <div class="history-bulk">
            <Summary of={rows} complete={complete} />
            {may("tasks") && (
              <>
                {failed.length > 0 && (
                  <Button
                    text={selected.length === failed.length ? "Choose none" : `Choose all ${failed.length} failed`}
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
              onClick={() => download(asCSV(rows), "earshot-requests.csv")}
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
            text={rows.length ? "Load more" : "Look further"}
            onClick={() => setPages(pages + 1)}
            data-testid="more"
          />
        </p>
      )}
      {rows.some(({ kind }) => kind === "sweep") && (
        <p class="faint">
          The last {maxSweeps} sweeps of each tracker
          {!!leftOut && `; ${number(leftOut)} trackers whose last sweep is older are left out`}. The page of a tracker
          has all.
        </p>
      )}
    </>
  );
}

const plural = { call: "calls", task: "tasks", batch: "batches", sweep: "sweeps" };

/** How many of those that are listed are what, and have which state. */
function Summary({ of, complete }: { of: Entry[]; complete: boolean }) {
  const kinds = (["call", "task", "batch", "sweep"] as const).flatMap((kind) => {
    const count = of.filter((one) => one.kind === kind).length;
    return count ? [`${number(count)} ${count === 1 ? kind : plural[kind]}`] : [];
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
      {!complete && " so far"}
      {states
        .filter(([status]) => count(status))
        .map(([status, look]) => (
          <span key={status} class={look}>
            {" "}
            · {number(count(status))} {inWords(status)}
          </span>
        ))}
    </span>
  );
}

const asCSV = (rows: Entry[]) =>
  csvFile([
    [
      "id",
      "kind",
      "state",
      "provider",
      "country",
      "question",
      "progress",
      "tracker",
      "createdAt",
      "finishedAt",
      "latencyMs",
      "attempts",
      "creditsCharged",
      "errorCode",
      "reason",
      "errorMessage",
    ],
    ...rows.map(({ request, ...row }) => [
      row.id,
      row.kind,
      row.state,
      row.asked,
      row.country,
      row.title,
      row.note,
      row.tracker,
      row.at,
      request?.finishedAt,
      row.took,
      row.attempts,
      row.charged,
      request?.error?.code,
      row.reason,
      row.why,
    ]),
  ]);
