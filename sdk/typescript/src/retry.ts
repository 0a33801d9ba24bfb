import { ConnectionFailed, EarshotError } from "./errors.js";

/**
 * The effect of sending a call twice: `once` is for calls that are processed each time,
 * `idempotent` for calls that have the same effect however often they are sent, and
 * `replayed` for calls with an idempotency key, whose repetition gets the answer of the
 * first call after that has ended.
 */
export type Repeat = "once" | "idempotent" | "replayed";

export const defaultRetries = 4;
const firstWait = 250;
/** Limits the waits between attempts. If Retry-After is longer, the error is thrown instead. */
const maxWait = 30_000;

/**
 * Calls `attempt` until it succeeds or fails permanently, no retries are left, or the signal
 * is aborted. `unsure` reports whether an earlier attempt may have been processed.
 */
export async function retry<T>(
  retries: number,
  repeat: Repeat,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<{ value: T; unsure: boolean }> {
  for (let n = 0, unsure = false; ; n++) {
    try {
      return { value: await attempt(), unsure };
    } catch (error) {
      const answer = error instanceof EarshotError ? error : undefined;
      if (answer) answer.unsure = unsure;
      const lost = isLost(error);
      // A conflict means that the attempt whose response was lost is still running.
      const running = repeat === "replayed" && unsure && answer?.code === "RESOURCE_CONFLICT";
      const again = isRefused(error) || running || (lost && repeat !== "once");
      const requested = answer?.retryAfter ?? 0;
      if (!again || n >= retries || requested > maxWait) throw error;
      await sleep(Math.max(backoff(firstWait, maxWait, n), requested), signal);
      unsure ||= lost;
    }
  }
}

/** Codes of fetch in Node.js and Bun for a connection that was never made. */
const unconnected = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "ConnectionRefused"];

/** Reports whether a call was certainly not processed. */
function isRefused(error: unknown): boolean {
  if (error instanceof EarshotError) {
    return error.code === "RATE_LIMIT_EXCEEDED" || error.code === "SERVICE_UNAVAILABLE";
  }
  return error instanceof ConnectionFailed && codes(error.cause).some((code) => unconnected.includes(code));
}

function codes(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return ["code" in error ? String(error.code) : "", ...codes(error.cause)];
}

/** Reports whether a call may have been processed although no response of the service arrived. */
function isLost(error: unknown): boolean {
  if (error instanceof EarshotError) return error.code === "" && [429, 502, 503, 504].includes(error.status);
  return error instanceof ConnectionFailed && !isRefused(error);
}

/**
 * Returns the wait after n previous waits. It doubles from `first` up to `limit`, and is
 * reduced at random by up to a half, so that clients that failed together do not retry together.
 */
export function backoff(first: number, limit: number, n: number): number {
  return Math.min(first * 2 ** n, limit) * (1 - Math.random() / 2);
}

/** Waits. If the signal is aborted first, it throws the signal's reason. */
export async function sleep(wait: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, wait);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
