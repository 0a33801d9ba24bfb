import { EarshotError, TaskError } from "./errors.js";
import { type Providers, TasksApi, taskTypes } from "./methods.gen.js";
import { backoff, sleep } from "./retry.js";
import { type CallOptions, signalOf } from "./transport.js";
import type { Batch, EventPage, TaskRecord, TaskRequest, TaskSubmitted } from "./types.gen.js";

const firstPoll = 100;
const maxPoll = 5_000;
/** How often pending tasks are looked up, because canceled tasks never appear in the events. */
const lookupEvery = 30_000;
/** The largest page of the events and of the list of tasks. */
const largestPage = 100;
/** From this number of tasks on, reading a page of the list is cheaper than reading the tasks one by one. */
const tasksPerPage = 10;

/** Options of a submitted task. */
export type SubmitOptions = CallOptions & Pick<TaskRequest, "priority" | "webhook" | "idempotencyKey">;

/** A submitted task. */
export class TaskHandle<Result> {
  readonly #tasks: Tasks;
  /** The task's last known state. */
  record: TaskRecord;

  /** @internal */
  constructor(tasks: Tasks, record: TaskRecord) {
    this.#tasks = tasks;
    this.record = record;
  }

  get id(): string {
    return this.record.task.id;
  }

  /**
   * Polls the task with increasing intervals until it ends, and returns its result. A failed
   * task throws a `TaskError`, a canceled task an `EarshotError` with the code
   * `RESOURCE_NOT_FOUND`. Use `tasks.waitAll` for many tasks.
   */
  async wait(options: CallOptions = {}): Promise<Result> {
    const signal = signalOf(options);
    for (let n = 0; this.record.task.finishedAt === null; n++) {
      if (n > 0) await sleep(backoff(firstPoll, maxPoll, n - 1), signal);
      this.record = await this.#tasks.get(this.id, { signal });
    }
    if (this.record.error) throw new TaskError(this.id, this.record.error, this.record);
    return this.record.result as Result;
  }
}

/** The queue's tasks. */
export class Tasks extends TasksApi {
  /**
   * Queues a task. If the response is lost, a task with an idempotency key is submitted
   * again, which does not queue it twice; a task without a key is not. The key needs the
   * scope `tasks`.
   */
  async submit<P extends keyof Providers>(
    provider: P,
    request: Providers[P]["request"],
    options: SubmitOptions = {},
  ): Promise<TaskHandle<Providers[P]["result"]>> {
    const { priority, webhook, idempotencyKey } = options;
    const body: TaskRequest = { taskType: taskTypes[provider], payload: request, priority, webhook, idempotencyKey };
    try {
      const call = { method: "POST", path: "/v1/async/task", body } as const;
      const { success: _, ...record } = await this.transport.json<TaskSubmitted>(call, options);
      return new TaskHandle(this, record);
    } catch (error) {
      const stored = error instanceof EarshotError && error.unsure && (await this.#stored(body, error, options));
      if (!stored) throw error;
      return new TaskHandle(this, stored);
    }
  }

  /**
   * Queues up to 500 independent tasks. The item of a refused task contains its error. If
   * every task has an idempotency key, the batch is submitted again when the response is
   * lost. The key needs the scope `tasks`.
   */
  async submitBatch(tasks: TaskRequest[], options?: CallOptions): Promise<Batch> {
    const call = { method: "POST", path: "/v1/async/task/batch", body: tasks } as const;
    const { value: batch, unsure } = await this.transport.exchange<Batch>(call, options);
    for (const item of unsure ? batch.results : []) {
      const stored = item.error && (await this.#stored(tasks[item.index]!, item.error, options));
      if (!stored) continue;
      const { task, credits, webhook } = stored;
      batch.results[item.index] = { index: item.index, success: true, task, credits, webhook };
      batch.summary.succeeded++;
      batch.summary.failed--;
    }
    return batch;
  }

  /**
   * Returns the task that already has the idempotency key, if it equals the submitted task:
   * then an earlier attempt has queued it.
   */
  async #stored(task: TaskRequest, refusal: Partial<EarshotError>, options?: CallOptions) {
    if (refusal.code !== "RESOURCE_ALREADY_EXISTS" || !refusal.details || !("taskId" in refusal.details)) return;
    const record = await this.get(refusal.details.taskId!, options).catch(() => undefined);
    const same = record && canonical(essence(record.task, record.webhook)) === canonical(essence(task, task.webhook));
    return same ? record : undefined;
  }

  /**
   * Yields each task once, when it has completed or failed. It reads the list of events,
   * which contains all finished tasks of the organization, so it needs few requests for many
   * tasks. If tasks do not exist, for example because they were canceled, it throws a
   * `TaskError` for one of them after all others.
   */
  async *waitAll(
    tasks: Iterable<string | TaskHandle<unknown>>,
    options: CallOptions = {},
  ): AsyncGenerator<TaskRecord, void, undefined> {
    const signal = signalOf(options);
    const pending = new Set(Array.from(tasks, (task) => (typeof task === "string" ? task.toLowerCase() : task.id)));
    if (pending.size === 0) return;
    const missing: TaskError[] = [];
    // The start cursor is read before the first lookup, so that no task ends unnoticed in between.
    let cursor = (await this.#events({ cursor: "latest" }, signal)).nextCursor;
    let nextLookup = 0;
    for (let quiet = 0; ; quiet++) {
      if (Date.now() >= nextLookup) {
        yield* this.#lookUp(pending, missing, signal);
        nextLookup = Date.now() + lookupEvery;
      }
      let page: EventPage;
      do {
        page = await this.#events({ cursor: cursor ?? undefined, limit: largestPage }, signal);
        cursor = page.nextCursor;
        for (const record of page.events) {
          if (!pending.delete(record.task.id)) continue;
          quiet = 0;
          yield record;
        }
      } while (page.events.length === largestPage);
      if (pending.size === 0) break;
      await sleep(backoff(firstPoll, maxPoll, quiet), signal);
    }
    if (missing[0]) throw missing[0];
  }

  #events(query: { cursor?: string | undefined; limit?: number }, signal: AbortSignal | undefined): Promise<EventPage> {
    return this.transport.json({ method: "GET", path: "/v1/events", query, idempotent: true }, { signal });
  }

  /** Yields pending tasks that have ended, and collects tasks that do not exist. */
  async *#lookUp(pending: Set<string>, missing: TaskError[], signal: AbortSignal | undefined) {
    const running = await this.#running(pending, signal);
    for (const id of [...pending].filter((id) => !running.has(id))) {
      try {
        const record = await this.get(id, { signal });
        if (record.task.finishedAt !== null && pending.delete(id)) yield record;
      } catch (error) {
        if (!(error instanceof EarshotError && error.is("RESOURCE_NOT_FOUND"))) throw error;
        pending.delete(id);
        missing.push(new TaskError(id, error));
      }
    }
  }

  /**
   * Returns the unfinished tasks in the list of tasks, if reading the list saves requests.
   * Ids are ordered by time, so it stops at the oldest pending task.
   */
  async #running(pending: Set<string>, signal: AbortSignal | undefined): Promise<Set<string>> {
    const found = new Set<string>();
    const oldest = [...pending].sort()[0]!;
    let left = Math.floor(pending.size / tasksPerPage) * largestPage;
    if (left === 0) return found;
    for await (const { task } of this.list({ limit: largestPage }, { signal })) {
      if (left-- === 0 || task.id < oldest) break;
      if (task.finishedAt === null) found.add(task.id);
    }
    return found;
  }
}

/** Returns the parts of a task that a repeated submission must have, too. */
function essence(task: Pick<TaskRequest, "taskType" | "payload" | "priority">, webhook?: { url: string }) {
  return { type: task.taskType, payload: task.payload, priority: task.priority ?? 1, url: webhook?.url };
}

/** Returns a value as JSON with sorted fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
