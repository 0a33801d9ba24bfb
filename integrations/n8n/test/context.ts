// The parts of n8n that run a node: parameters, expressions and credentials are resolved with
// n8n's own classes, and requests are sent with fetch instead of n8n-core's axios.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import {
  Expression,
  type IDataObject,
  type IExecuteFunctions,
  type IHttpRequestOptions,
  type ILoadOptionsFunctions,
  type INode,
  type INodeExecutionData,
  type INodeParameters,
  type INodeType,
  type INodeTypes,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeHelpers,
  Workflow,
  WorkflowDataProxy,
} from "n8n-workflow";
import { EarshotApi } from "../credentials/EarshotApi.credentials";
import { Earshot } from "../nodes/Earshot/Earshot.node";
import { EarshotTrigger } from "../nodes/Earshot/EarshotTrigger.node";

export const credentials = {
  baseUrl: `${process.env.EARSHOT_URL}/`,
  apiKey: process.env.EARSHOT_API_KEY!,
  webhookSecret: process.env.EARSHOT_WEBHOOK_SECRET!,
};

const types: Record<string, INodeType> = {
  "n8n-nodes-earshot.earshot": new Earshot(),
  "n8n-nodes-earshot.earshotTrigger": new EarshotTrigger(),
};

export const nodeTypes: INodeTypes = {
  getByName: (name) => types[name],
  getByNameAndVersion: (name) => types[name],
  getKnownTypes: () => ({}),
};

/** What a test may change about an execution. */
export interface Execution {
  items?: IDataObject[];
  continueOnFail?: boolean;
  executionId?: string;
  runIndex?: number;
  secrets?: Partial<typeof credentials>;
}

/** Returns a workflow with one node, and its parts that every context has. */
function workflowOf(type: string, parameters: INodeParameters, { items = [{}], runIndex = 0, secrets }: Execution) {
  const node: INode = { id: "a-node", name: "Node", type, typeVersion: 1, position: [0, 0], parameters };
  const workflow = new Workflow({ id: "a-workflow", nodes: [node], connections: {}, active: false, nodeTypes });
  const issues = NodeHelpers.getNodeParametersIssues(types[type].description.properties, node, null);
  if (issues) throw new Error(JSON.stringify(issues));
  const input: INodeExecutionData[] = items.map((json) => ({ json }));
  const secret = { ...credentials, ...secrets };
  return {
    input,
    getNode: () => node,
    getCredentials: async <T>() => secret as T,
    getNodeParameter: (name: string, item: number, fallback?: unknown) => {
      const value = node.parameters[name] ?? fallback;
      if (value === undefined) throw new Error(`Could not get parameter "${name}"`);
      const { expression } = workflow;
      return expression.getParameterValue(value as string, null, runIndex, item, node.name, input, "manual", {});
    },
    getWorkflowDataProxy: (item: number) =>
      new WorkflowDataProxy(workflow, null, runIndex, item, node.name, input, {}, "manual", {}).getDataProxy(),
    helpers: {
      httpRequestWithAuthentication: async (_: string, options: IHttpRequestOptions) =>
        await send(authenticated(options, secret)),
    },
  };
}

/** Adds the headers of the credential, as n8n does for `authenticate` of the type generic. */
function authenticated(options: IHttpRequestOptions, secret: IDataObject): IHttpRequestOptions {
  const headers = { ...options.headers };
  for (const [name, value] of Object.entries(new EarshotApi().authenticate.properties.headers!)) {
    headers[name] = resolve(value as string, secret);
  }
  return { ...options, headers };
}

/** Returns the value of an expression of the credential. */
function resolve(expression: string, secret: IDataObject): string {
  return Expression.resolveWithoutWorkflow(expression.slice(1), { $credentials: secret }) as string;
}

/** Sends the request with which n8n tests the credential. */
export async function testCredential(secrets?: Partial<typeof credentials>) {
  const secret = { ...credentials, ...secrets };
  const { baseURL, url } = new EarshotApi().test.request;
  const target = new URL(url!, resolve(baseURL!, secret));
  const { headers } = authenticated({ url: target.href }, secret);
  return await fetch(target, { headers: headers as Record<string, string> });
}

/** Sends a request with the options that n8n's request helper knows and the nodes use. */
async function send({ method, url, qs, headers, body, ...rest }: IHttpRequestOptions) {
  const expected = {
    encoding: "text",
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
  };
  assert.deepEqual(rest, expected);
  const target = new URL(url);
  for (const [name, value] of Object.entries(qs ?? {})) {
    if (value !== undefined && value !== null) target.searchParams.set(name, String(value));
  }
  const init = { method, headers: headers as Record<string, string>, body: body as string };
  const response = await fetch(target, { ...init, redirect: "manual" });
  return { body: await response.text(), headers: Object.fromEntries(response.headers), statusCode: response.status };
}

/** Runs the node Earshot and returns its output. */
export async function execute(parameters: INodeParameters, options: Execution = {}): Promise<INodeExecutionData[]> {
  const { input, ...common } = workflowOf("n8n-nodes-earshot.earshot", parameters, options);
  const context = {
    ...common,
    getInputData: () => input,
    continueOnFail: () => options.continueOnFail ?? false,
    getExecutionId: () => options.executionId ?? "1",
    getInstanceId: () => "an-instance",
    getExecutionCancelSignal: () => undefined,
  };
  return (await new Earshot().execute.call(context as unknown as IExecuteFunctions))[0];
}

/** Returns the trackers that the node offers in its list. */
export async function getTrackers() {
  const context = workflowOf("n8n-nodes-earshot.earshot", { resource: "tracker", operation: "getAll" }, {});
  return await new Earshot().methods.loadOptions.getTrackers.call(context as unknown as ILoadOptionsFunctions);
}

/** Starts a server that passes requests to the trigger, and results of the trigger to the test. */
export async function listen(
  parameters: INodeParameters,
  received: (result: IWebhookResponseData) => void,
  options: Execution = {},
) {
  const { input, ...common } = workflowOf("n8n-nodes-earshot.earshotTrigger", parameters, options);
  const server = createServer(async (request, response) => {
    request.rawBody = await buffer(request);
    const result = await new EarshotTrigger().webhook.call({
      ...common,
      getNodeParameter: (name: string) => common.getNodeParameter(name, 0),
      getRequestObject: () => request,
      getHeaderData: () => request.headers,
      getResponseObject: () => ({
        status: (code: number) => ({ json: (body: unknown) => response.writeHead(code).end(JSON.stringify(body)) }),
      }),
      helpers: { returnJsonArray: (json: IDataObject) => [{ json }] },
    } as unknown as IWebhookFunctions);
    if (!result.noWebhookResponse) response.end();
    received(result);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`, close: () => server.close() };
}
