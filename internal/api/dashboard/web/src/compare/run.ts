// A comparison: one prompt on each platform and in each country. It is kept when the user visits another page.
import { signal } from "@preact/signals";
import { ApiError, ask as askProvider, call, type Payload } from "../api";
import type { NewsResult, OrganicResult, Provider as ProviderName, RequestRecord, TaskResult } from "earshot";
import type { Provider } from "../openapi";
import { productName } from "../names";
import { key } from "../session";
import { status } from "../state";

export const maxCountries = 6;

/** One request of a comparison. */
export interface Question {
  provider: ProviderName;
  country: string;
  payload: Payload;
}

/** Returns a request for every pair of a provider and a country. */
export function questions(prompt: string, providers: Provider[], countries: string[]): Question[] {
  return providers.flatMap((provider) =>
    countries.map((country) => ({
      provider: provider.name,
      country,
      payload: { [provider.textField]: prompt, country },
    })),
  );
}

/** The answer to a request. */
export interface Reply {
  result: TaskResult;
  requestId: string;
  credits: number | null;
  ms: number;
}

type Phase = "waiting" | "running" | "done" | "failed" | "cancelled";

export interface Cell extends Question {
  phase: Phase;
  reply?: Reply;
  error?: unknown;
}

export const cellName = ({ provider, country }: { provider: string; country: string }) =>
  `${productName(provider)} · ${country}`;

/** Returns the text of a result: the answer, or the titles of the search results. */
export const words = (result: TaskResult) =>
  "text" in result
    ? result.text
    : found(result)
        .map(({ title }) => title)
        .join("\n");

/** Returns the results of a search. */
export function found(result: TaskResult): (OrganicResult | NewsResult)[] {
  if ("organicResults" in result) return result.organicResults;
  return "newsResults" in result ? result.newsResults : [];
}

/** The most requests at once. Browsers open six connections to a host; the live stream takes one. */
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

// Another key may belong to another account, which must not see these answers.
key.subscribe(() => {
  stop.abort();
  comparison.value = undefined;
});

export const underway = (cells: Cell[]) => cells.some((cell) => cell.phase === "waiting" || cell.phase === "running");

export function cancel() {
  stop.abort();
}

/** Sends all requests, a few at a time. */
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

/** Returns the number of requests to send at once: the free slots, if known. */
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
    // All slots are taken, so wait and try again.
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

/** Changes a cell, unless its comparison was canceled. */
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

/** Returns the IDs of the finished calls, by which the history keeps them. */
export const idsOf = ({ cells }: Comparison) =>
  cells.flatMap(({ reply, error }) => reply?.requestId || (error instanceof ApiError && error.requestId) || []);

/** The most calls of a restored comparison. */
const maxCells = 64;

/** Restores a comparison from the history, by the IDs of its calls. */
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
