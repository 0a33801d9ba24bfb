import { ConnectionFailed, EarshotError } from "./errors.js";
import { defaultRetries, type Repeat, retry } from "./retry.js";
import type { ErrorBody } from "./types.gen.js";

/** Options of every call. */
export interface CallOptions {
  /** Ends the call with the signal's reason, also while the client waits before a retry. */
  signal?: AbortSignal;
  /**
   * The most milliseconds that the call may take, with its retries and until the response
   * is read; then it fails with a `TimeoutError`. For a list, it limits the request of each page.
   */
  timeout?: number;
}

/** Options of the client. */
export interface ClientOptions {
  /** The URL of the service; by default the environment variable EARSHOT_URL, or http://127.0.0.1:8080. */
  url?: string;
  /** The API key; by default the environment variable EARSHOT_API_KEY. */
  key?: string;
  /** Makes the requests instead of the global `fetch`, for example for a proxy or for tracing. */
  fetch?: typeof globalThis.fetch;
  /** The most retries of one call, 4 by default; 0 turns retries off. */
  retries?: number;
  /** The name of the calling program, which appears in the service's logs. */
  userAgent?: string;
}

/** @internal One request, before it is encoded. */
export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: object;
  /** A string is sent as YAML. */
  body?: unknown;
  idempotent?: boolean;
  /** The header Idempotency-Key of a synchronous call. */
  idempotencyKey?: string | undefined;
}

/** @internal The value in a response, and whether an earlier attempt may have been processed. */
export interface Reply<T> {
  value: T;
  headers: Headers;
  unsure: boolean;
}

/** @internal Sends requests and reads responses. */
export class Transport {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #retries: number;

  constructor(options: ClientOptions, userAgent: string) {
    const url = options.url || environment("EARSHOT_URL") || "http://127.0.0.1:8080";
    if (!/^https?:\/\/[^/]/.test(url)) {
      throw new TypeError(
        `the service URL ${JSON.stringify(url)} must begin with http:// or https:// and a host: ` +
          "check the option url, or EARSHOT_URL",
      );
    }
    // A key read from a file often ends in a line break.
    const key = (options.key ?? environment("EARSHOT_API_KEY") ?? "").trim();
    if (!key) throw new TypeError("there is no API key: pass the option key, or set EARSHOT_API_KEY");
    this.#base = url.replace(/\/+$/, "");
    this.#headers = { Authorization: `Bearer ${key}`, "User-Agent": options.userAgent ?? userAgent };
    // Browsers refuse to call fetch as a method of another object.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#retries = options.retries ?? defaultRetries;
  }

  /** Returns the value of a JSON response. */
  async json<T>(call: Call, options?: CallOptions): Promise<T> {
    return (await this.exchange<T>(call, options)).value;
  }

  /** Returns the value of a JSON response with its headers. */
  async exchange<T>(call: Call, options: CallOptions = {}): Promise<Reply<T>> {
    const signal = signalOf(options);
    const { value, unsure } = await this.#retry(call, signal, async () => {
      const response = await this.#send(call, signal);
      return { value: (await this.#read(response, signal)) as T, headers: response.headers };
    });
    return { ...value, unsure };
  }

  /** Deletes. If a response was lost before, "not found" means that the earlier attempt succeeded. */
  async remove(call: Call, options?: CallOptions): Promise<void> {
    try {
      await this.json(call, options);
    } catch (error) {
      if (!(error instanceof EarshotError && error.unsure && error.code === "RESOURCE_NOT_FOUND")) throw error;
    }
  }

  /** Returns a response whose body is not read yet. */
  async stream(call: Call, options: CallOptions = {}): Promise<Response> {
    const signal = signalOf(options);
    return (await this.#retry(call, signal, () => this.#send(call, signal))).value;
  }

  /** Yields the items in `field` of all pages. Each page is fetched when it is needed. */
  async *pages<T>(field: string, call: Call, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    for (let query = call.query, cursor = ""; ; ) {
      const page = await this.json<Record<string, unknown>>({ ...call, query }, options);
      yield* page[field] as T[];
      const next = page.nextCursor as string | null;
      if (!next || next === cursor) return; // the same cursor again would be an endless loop
      cursor = next;
      query = { ...query, cursor };
    }
  }

  #retry<T>(call: Call, signal: AbortSignal | undefined, attempt: () => Promise<T>) {
    return retry(this.#retries, repeatOf(call), signal, attempt);
  }

  async #send(call: Call, signal: AbortSignal | undefined): Promise<Response> {
    const headers = new Headers(this.#headers);
    if (call.idempotencyKey !== undefined) headers.set("Idempotency-Key", call.idempotencyKey);
    const init: RequestInit = { method: call.method, headers, redirect: "manual" };
    if (signal) init.signal = signal;
    if (call.body !== undefined) {
      const isText = typeof call.body === "string";
      headers.set("Content-Type", isText ? "application/yaml" : "application/json");
      init.body = isText ? (call.body as string) : JSON.stringify(call.body);
    }
    let response: Response;
    try {
      response = await this.#fetch(this.#base + call.path + queryOf(call.query), init);
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionFailed(this.#base, error);
    }
    if (response.status !== 200) throw await this.#failure(response, signal);
    return response;
  }

  async #text(response: Response, signal: AbortSignal | undefined): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionFailed(this.#base, error);
    }
  }

  async #read(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
    const text = await this.#text(response, signal);
    try {
      return JSON.parse(text);
    } catch {
      throw this.#stranger(response);
    }
  }

  async #failure(response: Response, signal: AbortSignal | undefined): Promise<EarshotError> {
    const text = await this.#text(response, signal);
    const retryAfter = parseRetryAfter(response.headers.get("Retry-After"));
    try {
      const { error } = JSON.parse(text) as { error?: ErrorBody };
      if (error?.code) return new EarshotError({ ...error, status: response.status, retryAfter });
    } catch {} // not JSON
    return this.#stranger(response, retryAfter);
  }

  /** Returns the error for a response that is not from Earshot. */
  #stranger({ status, type }: Response, retryAfter = 0): EarshotError {
    // Browsers hide the status of a redirect.
    const answer = type === "opaqueredirect" ? "a redirect" : `status ${status}`;
    const message = `the server at ${this.#base} is not Earshot: it answered with ${answer}`;
    return new EarshotError({ code: "", message, status, retryAfter });
  }
}

/** A group of methods. */
export class Group {
  /** @internal */
  protected readonly transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.transport = transport;
  }
}

/** @internal Returns a path with encoded values. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map(encode));
}

function encode(value: string): string {
  // A URL with these as segment means another resource.
  if (["", ".", ".."].includes(value)) throw new TypeError(`${JSON.stringify(value)} is neither a name nor an id`);
  return encodeURIComponent(value);
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length ? "?" + new URLSearchParams(given.map(([name, value]) => [name, String(value)])) : "";
}

/** Tasks and sweeps with an idempotency key can be sent again, if all tasks of a batch have one. */
function repeatOf({ idempotent, idempotencyKey, body }: Call): Repeat {
  if (idempotencyKey !== undefined) return "replayed";
  const isKeyed = (item: unknown) => !!(item as { idempotencyKey?: string } | null)?.idempotencyKey;
  return idempotent || (Array.isArray(body) ? body.every(isKeyed) : isKeyed(body)) ? "idempotent" : "once";
}

/** Parses both forms of the header, seconds and a date, into milliseconds. */
function parseRetryAfter(text: string | null): number {
  if (!text) return 0;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Math.max(0, wait || 0);
}

/** @internal Returns a signal that is aborted by the given signal or by the timeout. */
export function signalOf({ signal, timeout }: CallOptions): AbortSignal | undefined {
  if (timeout === undefined) return signal;
  const limit = AbortSignal.timeout(timeout);
  if (!signal) return limit;
  const either = new AbortController(); // AbortSignal.any is missing in Node.js 18
  const forward = (from: AbortSignal) => either.abort(from.reason);
  if (signal.aborted) forward(signal);
  signal.addEventListener("abort", () => forward(signal), { once: true, signal: limit });
  limit.addEventListener("abort", () => forward(limit), { once: true });
  return either.signal;
}

/** Returns an environment variable; undefined in browsers. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
