import { createHash } from "node:crypto";
import {
  type IDataObject,
  type IExecuteFunctions,
  type IHttpRequestMethods,
  type ILoadOptionsFunctions,
  type IN8nHttpFullResponse,
  type JsonObject,
  NodeApiError,
  sleep,
} from "n8n-workflow";
import { nextSteps } from "./api.gen";

export interface Request {
  method?: IHttpRequestMethods;
  path: string;
  query?: IDataObject;
  body?: unknown; // a string is sent as YAML
  idempotencyKey?: string;
}

export interface ApiError {
  code: string;
  message: string;
  details?: JsonObject;
}

/** Codes of requests that the service did not process, which are safe to send again. */
const refused = ["RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE"];
const retries = 4;

/** Sends a request and returns the response, with the body as text. */
export async function request(
  context: IExecuteFunctions | ILoadOptionsFunctions,
  { method = "GET", path, query, body, idempotencyKey }: Request,
  itemIndex = 0,
): Promise<IN8nHttpFullResponse & { body: string }> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>("earshotApi", itemIndex);
  const headers: IDataObject = {};
  if (idempotencyKey) headers["Idempotency-Key"] = idempotencyKey;
  if (body !== undefined) headers["Content-Type"] = typeof body === "string" ? "application/yaml" : "application/json";
  for (let attempt = 1; ; attempt++) {
    const response = await context.helpers.httpRequestWithAuthentication.call(context, "earshotApi", {
      method,
      url: baseUrl.replace(/\/+$/, "") + path,
      qs: query,
      headers,
      body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
      // n8n would otherwise guess whether the body is JSON, and hide the message of an error.
      encoding: "text",
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    });
    if (response.statusCode === 200 && /json/.test(response.headers["content-type"])) return response;
    const error = errorOf(response);
    if (!refused.includes(error.code) || attempt > retries) {
      throw apiError(context, error, itemIndex, String(response.statusCode));
    }
    await sleep(Number(response.headers["retry-after"] || 1) * 1000);
  }
}

/** Sends a request and returns the JSON of the response. */
export async function requestJson(
  context: IExecuteFunctions | ILoadOptionsFunctions,
  options: Request,
  itemIndex = 0,
): Promise<IDataObject> {
  return JSON.parse((await request(context, options, itemIndex)).body);
}

function errorOf(response: IN8nHttpFullResponse): ApiError {
  try {
    const { error } = JSON.parse(response.body as string) as { error?: ApiError };
    if (error?.code) return error;
  } catch {
    // The response of a proxy, or of another program at this address.
  }
  return { code: "", message: `Not an Earshot response: HTTP status ${response.statusCode}. Check the base URL.` };
}

/** Returns the error of a request or of a task, with the advice for its code and the details. */
export function apiError(
  context: IExecuteFunctions | ILoadOptionsFunctions,
  error: ApiError,
  itemIndex: number,
  httpCode?: string,
): NodeApiError {
  const advice = (nextSteps as Record<string, string>)[error.code];
  const details = error.details ? ` Details: ${JSON.stringify(error.details)}` : "";
  const description = advice && `${error.code}: ${advice}.${details}`;
  const { message } = error;
  const failure = new NodeApiError(context.getNode(), { ...error }, { message, description, httpCode, itemIndex });
  failure.context.data = error as unknown as IDataObject;
  return failure;
}

/**
 * Returns an idempotency key that is the same when n8n runs the node again after a failure
 * (Retry On Fail), so that the service does not charge twice. It differs in every round of a
 * loop, and between n8n instances, which all count executions from 1.
 */
export function idempotencyKey(context: IExecuteFunctions, itemIndex: number, body: unknown): string {
  const { $runIndex } = context.getWorkflowDataProxy(itemIndex);
  const parts = [context.getInstanceId(), context.getExecutionId(), context.getNode().id, $runIndex, itemIndex, body];
  return "n8n-" + createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40);
}
