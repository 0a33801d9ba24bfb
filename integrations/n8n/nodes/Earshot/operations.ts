import { type IDataObject, type IExecuteFunctions, NodeApiError, NodeOperationError, sleep } from "n8n-workflow";
import { providers } from "./api.gen";
import { type ApiError, apiError, idempotencyKey, request, requestJson } from "./request";

type Operation = (context: IExecuteFunctions, item: number) => Promise<IDataObject[]>;

/** Runs the node's operation for one item and returns the output. */
export async function run(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const resource = context.getNodeParameter("resource", item) as string;
  const operation = context.getNodeParameter("operation", item) as string;
  return await operations[`${resource}.${operation}`](context, item);
}

const operations: Record<string, Operation> = {
  async "ask.ask"(context, item) {
    const { name, body } = question(context, item);
    const key = keyOf(context, item, body);
    const options = { method: "POST", path: `/v1/monitor/${name}`, body, idempotencyKey: key } as const;
    const { body: text, headers } = await request(context, options, item);
    const usage = {
      requestId: headers["x-request-id"],
      creditsCharged: Number(headers["x-credits-charged"]),
      creditsRemaining: Number(headers["x-credits-remaining"]),
      latencyMs: Number(headers["x-latency-ms"]),
      replayed: headers["idempotency-replayed"] === "true",
    };
    return [{ result: JSON.parse(text).result, usage }];
  },

  async "task.submit"(context, item) {
    const { taskType, body: payload } = question(context, item);
    const { priority, webhookUrl } = context.getNodeParameter("taskSettings", item) as IDataObject;
    const body: IDataObject = { taskType, payload, priority, webhook: webhookUrl ? { url: webhookUrl } : undefined };
    body.idempotencyKey = keyOf(context, item, body);
    try {
      const { success, ...record } = await requestJson(context, { method: "POST", path: "/v1/async/task", body }, item);
      return [record];
    } catch (error) {
      const id = duplicateOf(error);
      if (!id) throw error;
      return [await requestJson(context, { path: `/v1/async/task/${id}` }, item)];
    }
  },

  async "task.get"(context, item) {
    return [await requestJson(context, { path: path(context, item, "/v1/async/task/", "taskId") }, item)];
  },

  async "task.wait"(context, item) {
    const timeout = context.getNodeParameter("timeout", item) as number;
    const options = { path: path(context, item, "/v1/async/task/", "taskId") };
    for (let pause = 0.25, waited = 0; ; waited += pause, pause = Math.min(2 * pause, 5)) {
      const record = await requestJson(context, options, item);
      const task = record.task as IDataObject;
      if (record.error) throw apiError(context, record.error as unknown as ApiError, item);
      if (task.finishedAt) return [record];
      if (waited >= timeout) {
        const message = `The task has not ended within ${timeout} seconds: it is ${task.status}`;
        throw new NodeOperationError(context.getNode(), message, { itemIndex: item });
      }
      await sleep(pause * 1000, context.getExecutionCancelSignal());
    }
  },

  async "tracker.getAll"(context, item) {
    const { trackers } = await requestJson(context, { path: "/v1/trackers" }, item);
    return trackers as IDataObject[];
  },

  async "tracker.apply"(context, item) {
    const body = context.getNodeParameter("definition", item);
    const query = { dryRun: context.getNodeParameter("dryRun", item) as boolean };
    const target = { method: "PUT", path: path(context, item, "/v1/trackers/", "name") } as const;
    const { success, ...applied } = await requestJson(context, { ...target, query, body }, item);
    return [applied];
  },

  async "tracker.runSweep"(context, item) {
    const options = { method: "POST", path: path(context, item, "/v1/trackers/", "tracker", "/sweeps") } as const;
    const body = { idempotencyKey: keyOf(context, item, options) };
    const { success, ...started } = await requestJson(context, { ...options, body }, item);
    return [started];
  },

  async "tracker.metrics"(context, item) {
    return await list(context, item, "metrics", "rows");
  },

  async "tracker.compare"(context, item) {
    return await list(context, item, "compare", "rows");
  },

  async "tracker.export"(context, item) {
    const query = { ...(context.getNodeParameter("options", item) as IDataObject), format: "ndjson" };
    const options = { path: path(context, item, "/v1/trackers/", "tracker", "/export"), query };
    const { body } = await request(context, options, item);
    return body
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  },

  async "alert.getAll"(context, item) {
    return await list(context, item, "alerts", "alerts");
  },

  async "alert.acknowledge"(context, item) {
    const tracker = path(context, item, "/v1/trackers/", "tracker", "/alerts/");
    const options = { method: "POST", path: path(context, item, tracker, "alertId", "/acknowledge") } as const;
    const { alert } = await requestJson(context, options, item);
    return [alert as IDataObject];
  },
};

/** Returns a path that contains the value of a parameter. */
function path(context: IExecuteFunctions, item: number, before: string, parameter: string, after = ""): string {
  const value = context.getNodeParameter(parameter, item) as string;
  if (!value) throw new NodeOperationError(context.getNode(), `Parameter "${parameter}" is empty`, { itemIndex: item });
  return before + encodeURIComponent(value) + after;
}

/** Returns the provider and the body of its request. */
function question(context: IExecuteFunctions, item: number) {
  const name = context.getNodeParameter("provider", item) as string;
  const provider = providers.find((one) => one.name === name);
  if (!provider) {
    const names = providers.map((one) => one.name).join(", ");
    throw new NodeOperationError(context.getNode(), `There is no provider "${name}"`, {
      itemIndex: item,
      description: `The providers are ${names}.`,
    });
  }
  const include: IDataObject = {};
  for (const chosen of context.getNodeParameter("include", item, []) as string[]) {
    const [part, inner] = chosen.split(".");
    const isObject = provider.include.some((field) => field.name === chosen && field.type === "object");
    if (inner) include[part] = { ...(include[part] as IDataObject), [inner]: true };
    else include[part] ??= isObject ? {} : true;
  }
  const body: IDataObject = {
    [provider.text]: context.getNodeParameter("prompt", item),
    country: context.getNodeParameter("country", item) || undefined,
    include,
    ...(context.getNodeParameter("options", item, {}) as IDataObject),
  };
  return { name, taskType: provider.taskType, body };
}

/** Returns the idempotency key that the user gave, or one for this run of the node. */
function keyOf(context: IExecuteFunctions, item: number, body: unknown): string {
  return (context.getNodeParameter("idempotencyKey", item) as string) || idempotencyKey(context, item, body);
}

/** Returns the id of the task that has the same idempotency key as a refused one. */
function duplicateOf(error: unknown): string | undefined {
  if (!(error instanceof NodeApiError)) return undefined;
  const { code, details } = (error.context.data ?? {}) as ApiError;
  return code === "RESOURCE_ALREADY_EXISTS" ? (details?.taskId as string) : undefined;
}

/** Returns a list in the response of an operation on a tracker. */
async function list(context: IExecuteFunctions, item: number, operation: string, field: string) {
  const query = context.getNodeParameter("options", item) as IDataObject;
  const options = { path: path(context, item, "/v1/trackers/", "tracker", `/${operation}`), query };
  return (await requestJson(context, options, item))[field] as IDataObject[];
}
