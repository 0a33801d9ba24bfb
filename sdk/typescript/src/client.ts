import { ClientApi, type Providers, version } from "./methods.gen.js";
import { serverSentEvents } from "./stream.js";
import { Tasks } from "./tasks.js";
import { type CallOptions, type ClientOptions, Transport } from "./transport.js";
import type { LiveStatus, LiveTasks } from "./types.gen.js";

/** Options of `ask`. */
export interface AskOptions extends CallOptions {
  /**
   * Makes it safe to repeat the call: the same call with the same key gets the first call's
   * answer and is not charged, so the client retries it when the response is lost. 1 to 255
   * printable characters, unique among the organization's calls and tasks.
   */
  idempotencyKey?: string;
}

/** The answer of a provider. */
export interface Asked<Result> {
  result: Result;
  usage: AskUsage;
}

/** The cost of a call, and the state of the account after it. */
export interface AskUsage {
  requestId: string;
  creditsCharged: number;
  creditsRemaining: number;
  /** How many calls and tasks may run at the same time, and how many are running, including this call. */
  concurrentLimit: number;
  concurrent: number;
  latencyMs: number;
  /** Whether the answer is from an earlier call with the same idempotency key. */
  replayed: boolean;
}

/** An event of `live`. */
export type LiveEvent = { event: "status"; data: LiveStatus } | { event: "tasks"; data: LiveTasks };

/** A client of one Earshot service with one key. */
export class Client extends ClientApi {
  override readonly tasks = new Tasks(this.transport);

  constructor(options: ClientOptions = {}) {
    super(new Transport(options, `earshot-typescript/${version}`));
  }

  /**
   * Asks a provider and waits for its answer, which may take minutes. A request that may have
   * been charged is not repeated, unless it has an idempotency key. The key needs the scope
   * `monitor`.
   */
  async ask<P extends keyof Providers>(
    provider: P,
    request: Providers[P]["request"],
    options: AskOptions = {},
  ): Promise<Asked<Providers[P]["result"]>> {
    const { idempotencyKey } = options;
    const call = { method: "POST", path: `/v1/monitor/${provider}`, body: request, idempotencyKey } as const;
    const { value, headers } = await this.transport.exchange<{ result: Providers[P]["result"] }>(call, options);
    return { result: value.result, usage: usageOf(headers) };
  }

  /**
   * Streams the organization's status, at the start and whenever it changes, and the tasks
   * that were submitted, started or ended. The iteration ends when the service ends the
   * stream, because its node stops or the key expires, and with an error when the stream
   * breaks. In both cases, call `live` again, and read the missed events with `events`. The
   * key needs the scope `read`.
   */
  async *live(options: Pick<CallOptions, "signal"> = {}): AsyncGenerator<LiveEvent, void, undefined> {
    const stream = await this.transport.stream({ method: "GET", path: "/v1/live", idempotent: true }, options);
    for await (const { event, data } of serverSentEvents(stream)) {
      // Events of a newer service are skipped.
      if (event === "status" || event === "tasks") yield { event, data: JSON.parse(data) };
    }
  }
}

function usageOf(headers: Headers): AskUsage {
  const number = (name: string) => Number(headers.get(name) ?? 0);
  return {
    requestId: headers.get("X-Request-Id") ?? "",
    creditsCharged: number("X-Credits-Charged"),
    creditsRemaining: number("X-Credits-Remaining"),
    concurrentLimit: number("X-Concurrent-Limit"),
    concurrent: number("X-Concurrent-Current"),
    latencyMs: number("X-Latency-Ms"),
    replayed: headers.get("Idempotency-Replayed") === "true",
  };
}
