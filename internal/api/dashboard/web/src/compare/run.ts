// A comparison: one prompt, asked of each provider from each country. It outlives the
// page, so that answers which were paid for are still there when the reader comes back.
import { signal } from "@preact/signals";
import { ApiError, ask as askProvider, call, type Payload } from "../api";
import type { NewsResult, OrganicResult, Provider as ProviderName, RequestRecord, TaskResult } from "../api.gen";
import type { Provider } from "../openapi";
import { key } from "../session";
import { status } from "../state";

export const maxCountries = 6;

/** One question of a comparison before it is asked. */
export interface Question {
  provider: ProviderName;
  country: string;
  payload: Payload;
}

/** Every pair of a provider and a country, provider by provider. */
export function questions(prompt: string, providers: Provider[], countries: string[]): Question[] {
  return providers.flatMap((provider) =>
    countries.map((country) => ({
      provider: provider.name,
      country,
      payload: { [provider.textField]: prompt, country },
    })),
  );
}

/** What came back for one question. */
export interface Reply {
  result: TaskResult;
  requestId: string;
  credits: number | null;
  ms: number;
}

export type Phase = "waiting" | "running" | "done" | "failed" | "cancelled";

export interface Cell extends Question {
  phase: Phase;
  reply?: Reply;
  error?: unknown;
}

export const cellName = ({ provider, country }: { provider: string; country: string }) => `${provider} · ${country}`;

/** The words of a result: the answer, or what the found pages are called. */
export const words = (result: TaskResult) =>
  "text" in result
    ? result.text
    : found(result)
        .map(({ title }) => title)
        .join("\n");

/** The pages that a search found. */
export function found(result: TaskResult): (OrganicResult | NewsResult)[] {
  if ("organicResults" in result) return result.organicResults;
  return "newsResults" in result ? result.newsResults : [];
}

/** Browsers open six connections to a host; one is the live stream's. */
const maxAtOnce = 4;
const pauseWhenBusy = 1000;
const maxPauses = 60;

export interface Comparison {
  prompt: string;
  startedAt: string;
  cells: Cell[];
}

export const comparison = signal<Comparison | undefined>(undefined);
let stop = new AbortController();

// Another key is another account: its answers are none of the next one's business.
key.subscribe(() => {
  stop.abort();
  comparison.value = undefined;
});

export const underway = (cells: Cell[]) => cells.some((cell) => cell.phase === "waiting" || cell.phase === "running");

export function cancel() {
  stop.abort();
}

/** Asks all questions, a few at a time. */
export function start(prompt: string, questions: Question[]) {
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  comparison.value = {
    prompt,
    startedAt: new Date().toISOString(),
    cells: questions.map((question) => ({ ...question, phase: "waiting" })),
  };
  signal.addEventListener("abort", cancelUnfinished);
  const next = questions.keys();
  for (let workers = atOnce(); workers > 0; workers--) void work(next, signal);
}

/** As many as there are slots free, as far as that is known. */
function atOnce() {
  const slots = status.value?.queue.concurrency;
  return slots ? Math.min(maxAtOnce, Math.max(1, slots.max - slots.used)) : maxAtOnce;
}

async function work(next: Iterator<number>, signal: AbortSignal) {
  for (let step = next.next(); !step.done && !signal.aborted; step = next.next()) await ask(step.value, signal);
}

async function ask(index: number, signal: AbortSignal) {
  for (let pauses = 0; ; pauses++) {
    change(index, { phase: "running" }, signal);
    try {
      change(index, { phase: "done", reply: await reply(comparison.value!.cells[index], signal) }, signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!isBusy(error) || pauses === maxPauses) return change(index, { phase: "failed", error }, signal);
    }
    // Somebody else holds the slots: this is a queue to stand in, not a failure.
    change(index, { phase: "waiting" }, signal);
    await new Promise((done) => setTimeout(done, pauseWhenBusy));
    if (signal.aborted) return;
  }
}

const isBusy = (error: unknown) => error instanceof ApiError && error.status === 429;

async function reply({ provider, payload }: Cell, signal: AbortSignal): Promise<Reply> {
  const asked = performance.now();
  const {
    response: { result },
    headers,
  } = await askProvider(provider, payload, signal);
  const credits = headers.get("X-Credits-Charged");
  return {
    result,
    requestId: headers.get("X-Request-Id") ?? "",
    credits: credits === null ? null : Number(credits),
    ms: Number(headers.get("X-Latency-Ms") ?? Math.round(performance.now() - asked)),
  };
}

/** Changes a cell, unless its run is over. */
function change(index: number, to: Partial<Cell>, signal: AbortSignal) {
  if (signal.aborted || !comparison.value) return;
  const cells = comparison.value.cells.with(index, { ...comparison.value.cells[index], ...to });
  comparison.value = { ...comparison.value, cells };
}

function cancelUnfinished() {
  if (!comparison.value) return;
  const cells = comparison.value.cells.map((cell) =>
    underway([cell]) ? { ...cell, phase: "cancelled" as const } : cell,
  );
  comparison.value = { ...comparison.value, cells };
}

/** The ids of the calls that ended, under which the history keeps them. */
export const idsOf = ({ cells }: Comparison) =>
  cells.flatMap(({ reply, error }) => reply?.requestId || (error instanceof ApiError && error.requestId) || []);

/** More calls than a comparison has. */
const maxCells = 64;

/** Takes a comparison from the history, by the ids of its calls. */
export async function restore(ids: string[], signal: AbortSignal) {
  const records = await Promise.all(
    ids.slice(0, maxCells).map((id) => call("GET /v1/requests/{id}", { params: { id }, signal })),
  );
  if (signal.aborted || !records.length) return;
  stop.abort();
  const { prompt, query } = records[0].payload;
  comparison.value = {
    prompt: String(prompt ?? query ?? ""),
    startedAt: records[0].createdAt,
    cells: records.map(cellOf),
  };
}

function cellOf({ id, provider, payload, status, result, error, credits, latencyMs }: RequestRecord): Cell {
  const question = { provider, country: String(payload.country ?? ""), payload };
  if (result)
    return {
      ...question,
      phase: "done",
      reply: { result, requestId: id, credits: credits.creditsCharged, ms: latencyMs ?? 0 },
    };
  if (error)
    return { ...question, phase: "failed", error: new ApiError(0, error.code, error.message, id, error.details) };
  return { ...question, phase: status === "QUEUED" ? "waiting" : "running" };
}
