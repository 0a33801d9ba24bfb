// What stands in the history: calls, tasks, batches and sweeps as rows of one list, the
// newest first.
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
} from "../api.gen";
import { addressOf } from "../state";
import { countryOf, explain, inWords, question } from "../tasks/pieces";
import { slotWords } from "../trackers/words";
import { number } from "../ui";

export interface Entry {
  id: string;
  kind: "call" | "task" | "batch" | "sweep";
  state: string;
  look: string;
  why?: string;
  title: string;
  href: string;
  /** How far it is, of what is made of many. */
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

/** Why the provider gave no usable answer, where that is the error. */
const reasonOf = (error: TaskError | undefined): Reason | undefined =>
  error?.details && "reason" in error.details ? error.details.reason : undefined;

const looks: Record<Status, string> = { QUEUED: "", COMPLETED: "good", FAILED: "bad", PROCESSING: "warn" };

export function ofRequest(request: RequestRecord): Entry {
  const { id, mode, status, payload, provider, error, credits, tracker } = request;
  return {
    id,
    kind: mode === "sync" ? "call" : "task",
    state: inWords(status),
    look: looks[status],
    why: explain(error),
    title: question(payload) || id,
    href: addressOf(["history", id]),
    tracker,
    asked: provider,
    country: countryOf(payload).toUpperCase(),
    reason: reasonOf(error) ?? (error ? inWords(error.code).replaceAll("_", " ") : ""),
    attempts: request.attempts,
    charged: credits.creditsCharged,
    most: credits.creditsToCharge,
    took: request.latencyMs,
    at: request.createdAt,
    request,
  };
}

/** Why tasks failed, in words: 4 blocked, 3 timeout. */
export const failuresOf = (failures: BatchFailure[]) =>
  failures
    .map(({ code, reason, tasks }) => `${number(tasks)} ${reason ?? inWords(code).replaceAll("_", " ")}`)
    .join(", ");

/** What a batch does, in a word. */
export const stateOf = ({ queued, processing, failed }: BatchRecord) =>
  queued + processing ? "running" : failed ? "ended, some failed" : "done";
export const lookOf = ({ queued, processing, failed }: BatchRecord) =>
  queued + processing ? "warn" : failed ? "bad" : "good";

function ofBatch(batch: BatchRecord): Entry {
  const { id, total, completed, failed, failures, createdAt, credits } = batch;
  return {
    id,
    kind: "batch",
    state: stateOf(batch),
    look: lookOf(batch),
    title: `Batch of ${number(total)} ${total === 1 ? "task" : "tasks"}`,
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
  { id, state, reason, progress, credits, slot, dueAt, startedAt, closedAt, repeats }: Sweep,
): Entry {
  const missing = progress.missing ? `, ${number(progress.missing)} missing` : "";
  const done = `${number(progress.answered)} of ${number(progress.planned)} answered${missing}`;
  return {
    id,
    kind: "sweep",
    state: state === "closed" ? "complete" : state,
    look: sweepLooks[state],
    title: `${tracker}, ${slotWords({ slot, dueAt })}`,
    href: addressOf(["trackers", tracker, "answers"], { sweep: id }),
    note: done + (repeats ? "; repeats the one before" : ""),
    asked: "",
    country: "",
    reason: reason ?? "",
    charged: credits.creditsCharged,
    took: startedAt && closedAt ? Date.parse(closedAt) - Date.parse(startedAt) : null,
    at: dueAt,
  };
}

/** The filters of the API that the address may hold. */
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
  complete: boolean /** Trackers whose sweeps are left out. */;
  leftOut?: number;
}

/** A page with a filter may find nothing and not be the last: a few more are looked through at once. */
const pagesAtOnce = 5;
const pageSize = 50;

/** Calls and tasks by filters; alone leaves out what batches and sweeps stand for. */
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

/** As many trackers are asked for their sweeps, and as many sweeps of each. */
const maxTrackers = 20;
export const maxSweeps = 10;

export async function readSweeps(_: number, signal: AbortSignal): Promise<Listed> {
  const { trackers } = await call("GET /v1/trackers", { signal });
  // The newest first, so that what is left out is what nobody looks for.
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

/** All of them, as far back as the calls and tasks were read. */
export async function readAll(pages: number, signal: AbortSignal): Promise<Listed> {
  const lists = await Promise.all([
    readRequests({}, pages, signal, true),
    readBatches(pages, signal),
    readSweeps(pages, signal),
  ]);
  // Below the oldest of a list that goes on, others may be missing.
  const since = lists
    .map(({ rows, complete }) => (complete ? "" : (rows[rows.length - 1]?.at ?? "")))
    .reduce((a, b) => (a > b ? a : b));
  return {
    rows: newestFirst(lists.flatMap(({ rows }) => rows)).filter(({ at }) => at >= since),
    complete: lists.every(({ complete }) => complete),
    leftOut: lists[2].leftOut,
  };
}
