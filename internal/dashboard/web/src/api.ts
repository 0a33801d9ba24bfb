// The one way to the server: every request of the dashboard goes through call.
import { key, signOut } from "./state";

/** The address that the API lies below; it differs under a reverse proxy. */
export const base = new URL(".", document.baseURI);

/** A problem with one field of a request. */
export interface FieldProblem { field: string; message: string }

/** An error as the API tells it, or a connection that failed. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string,
    readonly details?: unknown,
  ) {
    super(message);
  }

  /** The problems with fields, for forms to show beside them. */
  get fields(): FieldProblem[] {
    return this.code === "VALIDATION_ERROR" && Array.isArray(this.details) ? this.details : [];
  }
}

/** With anyStatus an error status is a response like any other. */
export interface Options { body?: unknown; signal?: AbortSignal; withKey?: string; anyStatus?: boolean }

/** The response itself, for streams and headers. Throws an ApiError for an error status. */
export async function open(method: string, path: string, options: Options = {}): Promise<Response> {
  const bearer = options.withKey ?? key.value;
  const headers: Record<string, string> = {};
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(new URL(path.replace(/^\//, ""), base), {
      method, headers, signal: options.signal, body: options.body === undefined ? undefined : JSON.stringify(options.body),
    });
  } catch (problem) {
    if (options.signal?.aborted) throw problem;
    throw new ApiError(0, "NO_CONNECTION", "The server cannot be reached.", "");
  }
  if (response.ok || options.anyStatus) return response;
  const failure = await readError(response);
  if (failure.status === 401 && options.withKey === undefined && key.value) signOut(failure.message);
  throw failure;
}

async function readError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get("X-Request-Id") ?? "";
  try {
    const { error } = await response.json();
    return new ApiError(response.status, error.code, error.message, error.requestId ?? requestId, error.details);
  } catch {
    return new ApiError(response.status, "HTTP_ERROR", `The server answered ${response.status}.`, requestId);
  }
}

/** The JSON that the server answers. */
export async function call<T = any>(method: string, path: string, options: Options = {}): Promise<T> {
  return (await open(method, path, options)).json();
}

export const get = <T = any>(path: string, options?: Options) => call<T>("GET", path, options);
export const post = <T = any>(path: string, body: unknown, options?: Options) => call<T>("POST", path, { ...options, body });
