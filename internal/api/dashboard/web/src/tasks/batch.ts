// Submits a batch and follows its tasks. It continues when the user visits another page.
import { effect, signal } from "@preact/signals";
import { ApiError, call, isRateLimit, retryRateLimited, sleep, type Payload } from "../api";
import type { BatchFileRow, BatchItem, TaskPage, TaskRecord } from "earshot";
import { marked } from "../result/origin";
import { key } from "../session";
import { onTaskChanges } from "./live";
import { type BadRow, explain, question } from "./pieces";
import { chunk, maxItems } from "./submit";

/** The progress of the batch, for the view. */
export interface Progress {
  total: number;
  sent: number;
  accepted: number;
  already: number;
  refused: BadRow[];
  running: number;
  completed: number;
  failed: number;
  removed: number;
  charged: number;
  /** Tasks per second over the last half minute. */
  rate: number;
  /** The time since the start. */
  ms: number;
  state: "sending" | "waiting" | "stopped" | "following" | "done";
  error?: unknown;
}

export const batch = signal<Progress | undefined>(undefined);
let run: Run | undefined;

export function startBatch(rows: BatchFileRow[]) {
  forgetBatch();
  run = new Run(rows);
  void run.send();
}
export const resumeBatch = () => void run?.send();
export const stopSending = () => run?.pause();
export function forgetBatch() {
  run?.end();
  run = undefined;
  batch.value = undefined;
}
effect(() => {
  if (!key.value) forgetBatch();
});

/** Returns the finished tasks as JSON Lines, in the order in which they finished. */
export const resultLines = () => new Blob(run?.lines ?? [], { type: "application/x-ndjson" });

const rateWindow = 30_000;
const eventsPage = 100;
const queueIsFull = (problem: unknown) => problem instanceof ApiError && problem.code === "QUEUE_LIMIT_EXCEEDED";

/** Returns the free capacity of the queue that an error reports, or 0. */
const roomOf = (problem: unknown) =>
  problem instanceof ApiError && problem.details && "remainingCapacity" in problem.details
    ? problem.details.remainingCapacity
    : 0;

/** Returns the existing task with the same idempotency key, if that is why a row was rejected. */
const existingTask = (error: BatchItem["error"]) =>
  error?.details && "taskId" in error.details ? error.details.taskId : undefined;

/** Reports whether no tasks are queued or running; tasks that have not ended by then were removed. */
async function isIdle(signal: AbortSignal): Promise<boolean> {
  const { queuedTasks, processingTasks } = await call("GET /v1/async/status", { signal });
  return !queuedTasks && !processingTasks;
}

class Run {
  /** The results, in blobs, which browsers keep outside of the page's memory. */
  readonly lines: Blob[] = [];
  private readonly progress: Progress;
  private readonly known = new Set<string>();
  private readonly open = new Set<string>();
  /** Tasks that ended during a submission and may belong to it. */
  private early: TaskRecord[] = [];
  private posting = false;
  private readonly began = Date.now();
  private samples: { at: number; ended: number }[] = [];
  private cursor: string | undefined;
  private sending = new AbortController();
  private readonly ending = new AbortController();
  private follower?: ReturnType<typeof onTaskChanges>;

  constructor(private readonly rows: BatchFileRow[]) {
    const none = { sent: 0, accepted: 0, already: 0, running: 0, completed: 0, failed: 0, removed: 0, charged: 0 };
    this.progress = { ...none, total: rows.length, refused: [], rate: 0, ms: 0, state: "sending" };
  }

  /** Submits the rows that are not submitted yet. */
  async send() {
    this.sending = new AbortController();
    this.update({ state: "sending", error: undefined });
    try {
      if (!this.follower)
        this.cursor = (await call("GET /v1/events", { query: { cursor: "latest" } })).nextCursor ?? undefined;
      this.ending.signal.throwIfAborted();
      this.follower ??= onTaskChanges(
        () => this.follow(),
        () => 1000,
      );
      await this.sendAll(this.sending.signal);
      // Tasks of an earlier submission may have ended before this one began.
      if (this.progress.already) this.cursor = undefined;
      this.update({ state: "following" });
      this.follower.wake();
    } catch (error) {
      if (!this.ending.signal.aborted)
        this.update({ state: "stopped", error: this.sending.signal.aborted ? undefined : error });
    }
  }

  private async sendAll(signal: AbortSignal) {
    const max = await maxItems();
    let size = max;
    while (this.progress.sent < this.rows.length) {
      const piece = chunk(this.rows, this.progress.sent, size);
      try {
        await this.sendPiece(piece, signal);
        size = max;
      } catch (problem) {
        if (!queueIsFull(problem) && !isRateLimit(problem)) throw problem;
        const room = roomOf(problem);
        if (room > 0) size = Math.min(max, room);
        this.update({ state: "waiting" });
        await sleep(2000, signal);
      }
    }
  }

  private async sendPiece(piece: BatchFileRow[], signal: AbortSignal) {
    this.posting = true;
    try {
      const { results } = await call("POST /v1/async/task/batch", { body: piece.map((row) => row.task), signal });
      this.take(piece, results);
    } finally {
      this.posting = false;
      this.early = [];
    }
  }

  /** Records the result of each row of a submission. */
  private take(piece: BatchFileRow[], results: BatchItem[]) {
    let { accepted, already } = this.progress;
    for (const { index, task, error } of results) {
      const row = piece[index];
      const id = task?.id ?? existingTask(error);
      // Two rows with the same idempotency key are one task; the second row counts as rejected.
      if (!id || this.known.has(id)) {
        this.progress.refused.push({
          line: row.line,
          question: question(row.task.payload as Payload),
          message: explain(error),
        });
        continue;
      }
      this.known.add(id);
      this.open.add(id);
      if (task) accepted++;
      else already++;
    }
    this.update({ state: "sending", sent: this.progress.sent + piece.length, accepted, already });
    this.takeEnded(this.early);
  }

  /** Reads the tasks that ended since the last call, and the running ones. */
  private async follow() {
    const { signal } = this.ending;
    try {
      const before = [...this.open];
      const running = await this.runningTasks(signal);
      const idle = this.progress.state === "following" && !running.length && (await isIdle(signal));
      await this.readEvents(signal);
      const left = idle ? before.filter((id) => this.open.has(id)) : [];
      for (const id of left) this.open.delete(id);
      this.update({
        running: running.filter((id) => this.open.has(id)).length,
        removed: this.progress.removed + left.length,
      });
      if (this.progress.state !== "stopped") this.update({ error: undefined });
      if (this.progress.state === "following" && !this.open.size) this.finish();
    } catch (error) {
      if (signal.aborted) return;
      if (!isRateLimit(error)) this.update({ error });
      setTimeout(() => this.follower?.wake(), 3000);
    }
  }

  private async runningTasks(signal: AbortSignal): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: TaskPage = await call("GET /v1/async/tasks", {
        query: { status: "PROCESSING", limit: 100, cursor },
        signal,
      });
      for (const { task } of page.tasks) ids.push(task.id);
      cursor = page.nextCursor;
    }
    return ids;
  }

  private async readEvents(signal: AbortSignal) {
    for (;;) {
      const from = this.cursor;
      const query = { limit: eventsPage, cursor: from };
      const { events, nextCursor } = await retryRateLimited(() => call("GET /v1/events", { query, signal }), signal);
      this.takeEnded(events);
      if (this.posting) this.early.push(...events);
      // send may have reset the cursor in the meantime.
      if (this.cursor !== from) continue;
      this.cursor = nextCursor ?? undefined;
      if (events.length < eventsPage) return;
    }
  }

  private takeEnded(records: TaskRecord[]) {
    const mine = records.filter(({ task }) => this.open.delete(task.id));
    if (!mine.length) return;
    this.lines.push(new Blob(mine.map((record) => JSON.stringify(marked(record)) + "\n")));
    const completed = mine.filter(({ task }) => task.status === "COMPLETED").length;
    this.update({
      completed: this.progress.completed + completed,
      failed: this.progress.failed + mine.length - completed,
      charged: this.progress.charged + mine.reduce((sum, { credits }) => sum + (credits.creditsCharged ?? 0), 0),
    });
  }

  private update(change: Partial<Progress>) {
    Object.assign(this.progress, change);
    this.measure(Date.now(), this.progress.completed + this.progress.failed);
    if (!this.ending.signal.aborted) batch.value = { ...this.progress };
  }

  private measure(now: number, ended: number) {
    this.samples = this.samples.filter(({ at }) => now - at < rateWindow);
    if (now - (this.samples.at(-1)?.at ?? 0) > 500) this.samples.push({ at: now, ended });
    const first = this.samples[0];
    this.progress.rate = now > first.at ? ((ended - first.ended) * 1000) / (now - first.at) : 0;
    this.progress.ms = now - this.began;
  }

  private finish() {
    this.update({ state: "done", running: 0 });
    this.follower?.stop();
  }

  pause() {
    this.sending.abort();
  }

  end() {
    this.ending.abort();
    this.sending.abort();
    this.follower?.stop();
  }
}
