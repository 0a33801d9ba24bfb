// The entries of the history: calls, tasks, batches and sweeps in one list, the newest first.
import { call } from "../api";
import type {
  BatchFailure,
  BatchRecord,
  Error as TaskError,
  Mode,
  Reason,
  RequestRecord,
  Status,
  Sweep,
  SweepState,
} from "earshot";
import { addressOf } from "../state";
import { productName } from "../names";
import { countryOf, explain, inWords, question, stateName } from "../tasks/pieces";
import { timeText } from "../time";
import { counted, number } from "../ui";

export interface Entry {
  id: string;
  kind: "call" | "task" | "batch" | "sweep";
  state: string;
  look: string;
  why?: string;
  title: string;
  href: string;
  /** The progress of a batch or sweep. */
  note?: string;
  tracker?: string;
  asked: string;
  country: string;
  reason: string;
  attempts?: number;
  charged: number | null;
  most?: number;
  took: number | null;
  at: string;
  request?: RequestRecord;
  batch?: BatchRecord;
}

/** Returns why the provider gave no usable answer, if that is the error. */
const reasonOf = (error: TaskError | undefined): Reason | undefined =>
  error?.details && "reason" in error.details ? error.details.reason : undefined;

const looks: Record<Status, string> = { QUEUED: "", COMPLETED: "good", FAILED: "bad", PROCESSING: "warn" };

function ofRequest(request: RequestRecord): Entry {
  const { id, mode, status, payload, provider, error, credits, tracker } = request;
  return {
    id,
    kind: mode === "sync" ? "call" : "task",
    state: stateName(status),
    look: looks[status],
    why: explain(error),
    title: question(payload) || id,
    href: addressOf(["history", id]),
    tracker,
    asked: productName(provider),
    country: countryOf(payload).toUpperCase(),
    reason: failureName(error?.code, reasonOf(error)),
    attempts: request.attempts,
    charged: credits.creditsCharged,
    most: credits.creditsToCharge,
    took: request.latencyMs,
    at: request.createdAt,
    request,
  };
}

/** Returns why a task failed in words; "" if it did not. */
const failureName = (code = "", reason = "") => reason || inWords(code);

/** Returns why tasks failed: 4 blocked, 3 timeout. */
export const failuresOf = (failures: BatchFailure[]) =>
  failures.map(({ code, reason, tasks }) => `${number(tasks)} ${failureName(code, reason)}`).join(", ");

/** Returns the state of a batch in words. */
export const stateOf = ({ queued, processing, failed }: BatchRecord) =>
  queued + processing ? "Running" : failed ? "Some failed" : "Completed";
export const lookOf = ({ queued, processing, failed }: BatchRecord) =>
  queued + processing ? "warn" : failed ? "bad" : "good";

function ofBatch(batch: BatchRecord): Entry {
  const { id, total, completed, failed, failures, createdAt, credits } = batch;
  return {
    id,
    kind: "batch",
    state: stateOf(batch),
    look: lookOf(batch),
    title: `Batch of ${counted(total, "task")}`,
    href: addressOf(["history", "batches", id]),
    note: `${number(completed)} of ${number(total)} completed${failed ? `, ${number(failed)} failed` : ""}`,
    asked: "",
    country: "",
    reason: failuresOf(failures),
    charged: credits.creditsCharged,
    most: credits.creditsToCharge,
    took: null,
    at: createdAt,
    batch,
  };
}

const sweepLooks: Record<SweepState, string> = {
  running: "warn",
  closed: "good",
  canceled: "",
  skipped: "bad",
  missed: "bad",
};

function ofSweep(
  tracker: string,
  { id, state, reason, progress, credits, dueAt, startedAt, closedAt, repeats }: Sweep,
): Entry {
  const missing = progress.missing ? `, ${number(progress.missing)} missing` : "";
  const done = `${number(progress.answered)} of ${number(progress.planned)} answered${missing}`;
  return {
    id,
    kind: "sweep",
    state: state === "closed" ? "Completed" : stateName(state),
    look: sweepLooks[state],
    title: `${tracker}, ${timeText(dueAt)}`,
    href: addressOf(["trackers", tracker, "answers"], { sweep: id }),
    note: done + (repeats ? ", repeated sweep" : ""),
    asked: "",
    country: "",
    reason: reason ?? "",
    charged: credits.creditsCharged,
    took: startedAt && closedAt ? Date.parse(closedAt) - Date.parse(startedAt) : null,
    at: dueAt,
  };
}

/** The filters of the address, by the names of the API. */
export const names = [
  "q",
  "mode",
  "status",
  "errorReason",
  "provider",
  "country",
  "tracker",
  "batch",
  "from",
  "to",
] as const;
export type Filters = Partial<Record<(typeof names)[number], string>>;

export interface Listed {
  rows: Entry[];
  complete: boolean;
  /** The number of trackers whose sweeps are left out. */
  leftOut?: number;
}

/** With a filter, a page may be empty without being the last, so a few more are read at once. */
const pagesAtOnce = 5;
const pageSize = 50;

/** Reads calls and tasks; alone leaves out the tasks of batches and sweeps. */
export async function readRequests(
  filters: Filters,
  pages: number,
  signal: AbortSignal,
  alone?: true,
): Promise<Listed> {
  const rows: Entry[] = [];
  let cursor: string | null | undefined;
  for (let read = 0; cursor !== null && rows.length < pages * pageSize && read < pages * pagesAtOnce; read++) {
    const page = await call("GET /v1/requests", {
      query: { ...(filters as { mode?: Mode; status?: Status; errorReason?: Reason }), alone, cursor },
      signal,
    });
    rows.push(...page.requests.map(ofRequest));
    cursor = page.nextCursor;
  }
  return { rows, complete: cursor === null };
}

export async function readBatches(pages: number, signal: AbortSignal): Promise<Listed> {
  const rows: Entry[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; cursor !== null && page < pages; page++) {
    const { batches, nextCursor } = await call("GET /v1/batches", { query: { cursor }, signal });
    rows.push(...batches.map(ofBatch));
    cursor = nextCursor;
  }
  return { rows, complete: cursor === null };
}

/** The most trackers whose sweeps are read, and the sweeps of each. */
const maxTrackers = 20;
export const maxSweeps = 10;

export async function readSweeps(_: number, signal: AbortSignal): Promise<Listed> {
  const { trackers } = await call("GET /v1/trackers", { signal });
  // The trackers with the newest sweeps come first.
  const asked = trackers
    .sort((a, b) => (b.lastSweep?.dueAt ?? "").localeCompare(a.lastSweep?.dueAt ?? ""))
    .slice(0, maxTrackers);
  const pages = await Promise.all(
    asked.map(({ name }) =>
      call("GET /v1/trackers/{name}/sweeps", { params: { name }, query: { limit: maxSweeps }, signal }),
    ),
  );
  return {
    rows: newestFirst(pages.flatMap(({ sweeps }, i) => sweeps.map((sweep) => ofSweep(asked[i].name, sweep)))),
    complete: true,
    leftOut: trackers.length - asked.length,
  };
}

const newestFirst = (rows: Entry[]) => rows.sort((a, b) => b.at.localeCompare(a.at));

/** Reads all kinds of entries. */
export async function readAll(pages: number, signal: AbortSignal): Promise<Listed> {
  const lists = await Promise.all([
    readRequests({}, pages, signal, true),
    readBatches(pages, signal),
    readSweeps(pages, signal),
  ]);
  // An incomplete list may miss entries that are older than its oldest one, so the other lists end there, too.
  const since = lists
    .map(({ rows, complete }) => (complete ? "" : (rows[rows.length - 1]?.at ?? "")))
    .reduce((a, b) => (a > b ? a : b));
  return {
    rows: newestFirst(lists.flatMap(({ rows }) => rows)).filter(({ at }) => at >= since),
    complete: lists.every(({ complete }) => complete),
    leftOut: lists[2].leftOut,
  };
}
