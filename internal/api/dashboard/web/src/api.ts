// The client of the API. All requests of the dashboard use the function open.
import type { Code, ErrorDetails, ErrorResponse, FieldProblem, Operations, Provider, Session } from "earshot";
import { endSession, session, switchedElsewhere } from "./session";

/** The base URL of the API. Behind a reverse proxy it may have a path. */
export const base = new URL(".", document.baseURI);

/** An error response of the API, or a failed connection. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: Code | "NO_CONNECTION" | "HTTP_ERROR",
    message: string,
    readonly requestId: string,
    readonly details?: ErrorDetails,
    /** The seconds after which the server accepts the request again. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }

  /** The problems of single fields, which forms show at the fields. */
  get fields(): FieldProblem[] {
    return this.code === "VALIDATION_ERROR" && Array.isArray(this.details) ? this.details : [];
  }
}

/**
 * Requests use the session cookie, unless withKey is another key, or "" for no key. With anyStatus, an error status
 * does not throw. yaml is a body in YAML or JSON that is sent unchanged, instead of body. ifMatch is the etag of the
 * version that the request may change.
 */
interface Options {
  signal?: AbortSignal;
  withKey?: string;
  anyStatus?: boolean;
  yaml?: string;
  ifMatch?: string;
}

/** Sends a request. Throws an ApiError for an error status. */
export async function open(
  method: string,
  path: string,
  { body, ...options }: Options & { body?: unknown } = {},
): Promise<Response> {
  const headers: Record<string, string> = {};
  if (options.withKey) headers.Authorization = `Bearer ${options.withKey}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (options.yaml !== undefined) headers["Content-Type"] = "application/yaml";
  if (options.ifMatch) headers["If-Match"] = options.ifMatch;
  const signedIn = options.withKey === undefined ? session.value : undefined;
  if (signedIn && method !== "GET") headers["Earshot-Organization"] = signedIn.organizationId;
  let response: Response;
  try {
    response = await fetch(new URL(path.replace(/^\//, ""), base), {
      method,
      headers,
      credentials: options.withKey === undefined ? "same-origin" : "omit",
      signal: options.signal,
      body: options.yaml ?? (body === undefined ? undefined : JSON.stringify(body)),
    });
  } catch (problem) {
    if (options.signal?.aborted) throw problem;
    throw new ApiError(0, "NO_CONNECTION", "The server is not reachable.", "");
  }
  if (response.ok || options.anyStatus) return response;
  const failure = await readError(response);
  if (failure.status === 401 && signedIn && path !== "/v1/invitation/accept")
    endSession(signedIn.user || failure.code === "MISSING_API_KEY" ? "your session has ended." : failure.message);
  if (failure.code === "RESOURCE_CONFLICT" && signedIn && switched(signedIn, failure)) switchedElsewhere.value = true;
  throw failure;
}

/** Reports whether a conflict names another organization of the user, to which another tab has switched. */
const switched = ({ organizations, organizationId }: Session, { details }: ApiError) =>
  organizations.some(({ id }) => id !== organizationId && id === (details as { id?: string } | undefined)?.id);

async function readError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get("X-Request-Id") ?? "";
  try {
    const { error }: ErrorResponse = await response.json();
    const retryAfter = Number(response.headers.get("Retry-After"));
    const { code, message, details } = error;
    return new ApiError(response.status, code, message, error.requestId ?? requestId, details, retryAfter);
  } catch {
    return new ApiError(response.status, "HTTP_ERROR", `The server returned status ${response.status}.`, requestId);
  }
}

/** The names of the parameters in a path. */
type PathNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;
type PathParams<Path> = [PathNames<Path>] extends [never] ? undefined : Record<PathNames<Path>, string>;

/** A part of a request: absent, optional or required. */
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { [N in Name]?: undefined }
  : {} extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value };

type Operation = keyof Operations;
type Request<K extends Operation> = Options &
  Part<"params", PathParams<K>> &
  Part<"query", Operations[K]["query"]> &
  (Part<"body", Operations[K]["body"]> | { body?: undefined; yaml: string });
type Arguments<K extends Operation> = {} extends Request<K> ? [request?: Request<K>] : [request: Request<K>];

/** Calls an operation and returns its response, for streams and headers. */
export async function respond<K extends Operation>(operation: K, ...[request]: Arguments<K>): Promise<Response> {
  const { params = {}, query = {}, body, ...options }: Options & Parts = request ?? {};
  const [method, template] = operation.split(" ");
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return open(method, given.length ? `${path}?${new URLSearchParams(given)}` : path, { ...options, body });
}

/** The parts of any request. */
interface Parts {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

/** Calls an operation and returns its JSON. */
export async function call<K extends Operation>(
  operation: K,
  ...request: Arguments<K>
): Promise<Operations[K]["response"]> {
  return (await respond(operation, ...request)).json();
}

/** The body of a request to a provider. Its fields depend on the provider. */
export type Payload = Record<string, unknown>;

type ProviderOperation = `POST /v1/monitor/${Provider}`;
export type ProviderResponse = Operations[ProviderOperation]["response"];

/** Asks a provider. The server validates the payload. */
export async function ask(
  provider: Provider,
  payload: Payload,
  signal: AbortSignal,
): Promise<{ response: ProviderResponse; headers: Headers }> {
  const body = payload as Operations[ProviderOperation]["body"];
  const response = await respond<ProviderOperation>(`POST /v1/monitor/${provider}`, { body, signal });
  return { response: await response.json(), headers: response.headers };
}

/** Reports whether the same request may succeed later: the server is not reachable, busy or restarting. */
export const mayPass = (problem: unknown) =>
  problem instanceof ApiError && (problem.status === 0 || problem.status === 429 || problem.status > 501);

export const isRateLimit = (problem: unknown) => problem instanceof ApiError && problem.code === "RATE_LIMIT_EXCEEDED";

/** Repeats a request every second while the rate limit rejects it. */
export async function retryRateLimited<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (problem) {
      if (!isRateLimit(problem) || signal.aborted) throw problem;
      await sleep(1000, signal);
    }
  }
}

/** Waits for a time. Throws if the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        fail(signal.reason);
      },
      { once: true },
    );
  });
}
