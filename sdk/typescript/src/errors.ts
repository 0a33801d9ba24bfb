import { type Code, type Details, type ErrorDetails, nextSteps, type TaskRecord } from "./types.gen.js";

interface Parts {
  code: Code | "";
  message: string;
  details?: ErrorDetails;
  requestId?: string;
  status?: number;
  retryAfter?: number;
}

/** An error response of the service. */
export class EarshotError extends Error {
  override readonly name: string = "EarshotError";
  /** Identifies the kind of the error; "" if the response is not from Earshot, but from a proxy. */
  readonly code: Code | "";
  /** Additional data; the code decides its shape. See `is`. */
  readonly details: ErrorDetails | undefined;
  /** Identifies the request in the service's log; "" in the error of a task. */
  readonly requestId: string;
  /** The HTTP status; 0 in the error of a task. */
  readonly status: number;
  /** How to handle the error, in Markdown. */
  readonly nextStep: string;
  /** How many milliseconds the service asks to wait; 0 if it does not say. */
  readonly retryAfter: number;
  /** Whether the response to an earlier attempt of the call was lost, so that it may have been processed. */
  unsure = false;

  /** @internal */
  constructor({ code, message, details, requestId = "", status = 0, retryAfter = 0 }: Parts) {
    super(message);
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.status = status;
    this.nextStep = (code && nextSteps[code]) ?? ""; // a newer service may have more codes
    this.retryAfter = retryAfter;
  }

  /** Reports whether the error has this code. If so, `details` has the type for the code. */
  is<C extends Code>(code: C): this is EarshotError & { code: C; details: Details[C] } {
    return this.code === code;
  }
}

/** The error of a task that failed or does not exist. */
export class TaskError extends EarshotError {
  override readonly name = "TaskError";
  readonly taskId: string;
  /** The failed task; undefined if the task does not exist. */
  readonly record: TaskRecord | undefined;

  /** @internal */
  constructor(taskId: string, parts: Parts, record?: TaskRecord) {
    super({ ...parts, message: `task ${taskId}: ${parts.message}` });
    this.taskId = taskId;
    this.record = record;
  }
}

/** No response arrived: the service cannot be reached, or the connection broke. `cause` has the reason. */
export class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed";

  /** @internal */
  constructor(base: string, cause: unknown) {
    super(`no response from ${base}: ${reason(cause)}`, { cause });
  }
}

/** Returns the innermost message; the outer one of Node.js is always "fetch failed". */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause) return reason(error.cause);
  return error.message || String("code" in error ? error.code : error.name);
}
