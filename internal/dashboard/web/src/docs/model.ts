// The API's description as the reference shows it.
import type { OpenAPI } from "../state";

export interface Parameter { name: string; in: string; required: boolean; description: string; schema: any; example?: unknown }
export interface Example { name: string; summary: string; value: unknown }
export interface Content { type: string; schema: any; examples: Example[] }
export interface Reply { status: string; description: string; headers: { name: string; description: string }[]; content: Content[] }
export interface Operation {
  id: string; tag: string; method: string; path: string; summary: string; description: string; scope: string; needsKey: boolean;
  isWebhook: boolean; parameters: Parameter[]; body?: Content; replies: Reply[];
}
export interface Group { tag: string; description: string; operations: Operation[] }

const methods = ["get", "post", "put", "patch", "delete"];
const mostHops = 20;

/** A node with its reference followed; what stands beside the reference adds to it. */
export function follow(api: OpenAPI, node: any): any {
  let found = node;
  for (let hops = 0; typeof found?.$ref === "string"; hops++) {
    const { $ref, ...beside } = found;
    if (hops === mostHops) return beside;
    found = merge(target(api, $ref), beside);
  }
  return found ?? {};
}

/** The last part of a reference: what the schema is called. */
export const refName = (node: any): string => (typeof node?.$ref === "string" ? node.$ref.split("/").pop()! : "");

function target(api: OpenAPI, ref: string): any {
  const steps = ref.startsWith("#/") ? ref.slice(2).split("/") : [""];
  return steps.reduce<any>((node, step) => node?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], api) ?? {};
}

/** A schema may narrow the properties of the one that it refers to. */
function merge(under: any, over: any): any {
  const merged = { ...under, ...over };
  if (under.properties && over.properties) {
    merged.properties = { ...under.properties };
    for (const [name, property] of Object.entries(over.properties)) merged.properties[name] = merge(under.properties[name] ?? {}, property);
  }
  return merged;
}

export function groups(api: OpenAPI): Group[] {
  const all = [...operationsOf(api, api.paths, false), ...operationsOf(api, (api as any).webhooks ?? {}, true)];
  const known: { name: string; description?: string }[] = api.tags ?? [];
  const tags = new Set([...known.map(({ name }) => name), ...all.map(({ tag }) => tag)]);
  return [...tags].map((tag) => ({
    tag, description: known.find(({ name }) => name === tag)?.description ?? "", operations: all.filter((operation) => operation.tag === tag),
  })).filter(({ operations }) => operations.length > 0);
}

function operationsOf(api: OpenAPI, paths: Record<string, any>, isWebhook: boolean): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) => methods.filter((method) => item[method]).map((method) => {
    const one = item[method];
    const security: any[] = one.security ?? (api as any).security ?? [];
    return {
      id: one.operationId ?? `${method}-${path}`, tag: one.tags?.[0] ?? "Other", method: method.toUpperCase(), path, isWebhook,
      summary: one.summary ?? path, description: one.description ?? "", scope: one["x-scope"] ?? "", needsKey: security.length > 0,
      parameters: [...(item.parameters ?? []), ...(one.parameters ?? [])].map((node) => parameter(api, node)),
      body: contents(api, follow(api, one.requestBody))[0],
      replies: Object.entries<any>(one.responses ?? {}).map(([status, node]) => reply(api, status, follow(api, node))),
    };
  }));
}

function parameter(api: OpenAPI, node: any): Parameter {
  const { name, in: place, required = false, description = "", schema, example } = follow(api, node);
  return { name, in: place, required, description, schema, example };
}

function reply(api: OpenAPI, status: string, node: any): Reply {
  const headers = Object.entries(node.headers ?? {}).map(([name, header]) => ({ name, description: follow(api, header).description ?? "" }));
  return { status, description: node.description ?? "", headers, content: contents(api, node) };
}

function contents(api: OpenAPI, node: any): Content[] {
  return Object.entries<any>(node.content ?? {}).map(([type, { schema, examples = {}, example }]) => ({
    type, schema,
    examples: [
      ...Object.entries(examples).map(([name, one]) => ({ name, ...pick(follow(api, one)) })),
      ...(example === undefined ? [] : [{ name: "example", summary: "Example", value: example }]),
    ],
  }));
}

const pick = ({ summary = "", value }: any) => ({ summary, value });

/** A value as people read it: text as it is, everything else as indented JSON. */
export const pretty = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "");
