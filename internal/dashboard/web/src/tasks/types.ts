// The shapes of the API that these views read.

export interface TaskError { code: string; message: string; details?: any }

export interface Task {
  id: string; taskType: string; status: string; priority: number; payload: Record<string, any>; idempotencyKey: string | null;
  createdAt: string; startedAt: string | null; finishedAt: string | null; latencyMs: number | null; attempts: number;
}

/** A task as lists, events and polling give it. */
export interface TaskRecord {
  task: Task;
  credits: { creditsToCharge: number; creditsCharged: number | null };
  webhook?: { url: string; delivered: boolean };
  result?: any;
  error?: TaskError;
}

export interface Delivery {
  id: string; taskId: string; url: string; delivered: boolean; deliveredAt: string | null; attempts: number; nextTryAt: string | null;
  tries: { at: string; status?: number; error?: string; ms: number }[];
}

/** One task as it is submitted. */
export interface TaskRequest { taskType: string; payload: Record<string, any>; priority?: unknown; idempotencyKey?: string; webhook?: { url: string } }

/** What a task asks, whichever field its provider has for it. */
export function question(payload: Record<string, any> | undefined): string {
  return String(payload?.prompt ?? payload?.query ?? payload?.url ?? "");
}

/** An error's message with the faulty fields it names. */
export function explain(error: TaskError | undefined): string {
  if (!error) return "";
  if (error.code !== "VALIDATION_ERROR" || !Array.isArray(error.details)) return error.message;
  return error.details.map(({ field, message }) => `${String(field).replace(/^payload\./, "")} ${message}`).join("; ");
}

/** A span of time for people: 35 ms, 3.9 s, 2 min 5 s, 1 h 3 min. */
export function span(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return "–";
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
