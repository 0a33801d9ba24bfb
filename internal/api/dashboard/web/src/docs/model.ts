// The OpenAPI document in the form that the reference shows.
import {
  follow,
  methods,
  type BodyNode,
  type OpenAPI,
  type ParameterNode,
  type PathNode,
  type ReplyNode,
  type Schema,
} from "../openapi";

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
  example?: unknown;
}
export interface Example {
  name: string;
  summary: string;
  value: unknown;
}
export interface Content {
  type: string;
  schema: Schema;
  examples: Example[];
}
export interface Reply {
  status: string;
  description: string;
  headers: { name: string; description: string }[];
  content: Content[];
}
export interface Operation {
  id: string;
  tag: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  scope: string;
  needsKey: boolean;
  isWebhook: boolean;
  parameters: Parameter[];
  body?: Content;
  replies: Reply[];
}
export interface Group {
  tag: string;
  description: string;
  operations: Operation[];
}

export function groups(api: OpenAPI): Group[] {
  const all = [...operationsOf(api, api.paths, false), ...operationsOf(api, api.webhooks ?? {}, true)];
  const known = api.tags ?? [];
  const tags = new Set([...known.map(({ name }) => name), ...all.map(({ tag }) => tag)]);
  return [...tags]
    .map((tag) => ({
      tag,
      description: known.find(({ name }) => name === tag)?.description ?? "",
      operations: all.filter((operation) => operation.tag === tag),
    }))
    .filter(({ operations }) => operations.length > 0);
}

function operationsOf(api: OpenAPI, paths: Record<string, PathNode>, isWebhook: boolean): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const one = item[method];
      if (!one) return [];
      return [
        {
          id: one.operationId ?? `${method}-${path}`,
          tag: one.tags?.[0] ?? "Other",
          method: method.toUpperCase(),
          path,
          isWebhook,
          summary: one.summary ?? path,
          description: one.description ?? "",
          scope: one["x-scope"] ?? "",
          needsKey: !!(one.security ?? api.security)?.length,
          parameters: [...(item.parameters ?? []), ...(one.parameters ?? [])].map((node) => parameter(api, node)),
          body: contents(api, follow(api, one.requestBody))[0],
          replies: Object.entries(one.responses ?? {}).map(([status, node]) => reply(api, status, follow(api, node))),
        },
      ];
    }),
  );
}

function parameter(api: OpenAPI, node: ParameterNode): Parameter {
  const { name, in: place, required = false, description = "", schema, example } = follow(api, node);
  return { name, in: place, required, description, schema, example };
}

function reply(api: OpenAPI, status: string, node: ReplyNode): Reply {
  const headers = Object.entries(node.headers ?? {}).map(([name, header]) => ({
    name,
    description: follow(api, header).description ?? "",
  }));
  return { status, description: node.description ?? "", headers, content: contents(api, node) };
}

function contents(api: OpenAPI, node: BodyNode): Content[] {
  return Object.entries(node.content ?? {}).map(([type, { schema = {}, examples = {}, example }]) => ({
    type,
    schema,
    examples: [
      ...Object.entries(examples).map(([name, one]) => {
        const { summary = "", value } = follow(api, one);
        return { name, summary, value };
      }),
      ...(example === undefined ? [] : [{ name: "example", summary: "Example", value: example }]),
    ],
  }));
}

export interface Chapter {
  id: string;
  title: string;
  text: string;
}

/** Returns the chapters of the introduction: paragraphs that begin with a bold title. */
export function chapters(api: OpenAPI): Chapter[] {
  const found: Chapter[] = [{ id: "overview", title: api.info.title, text: "" }];
  for (const paragraph of (api.info.description ?? "").split(/\n{2,}/)) {
    const [, title, text] = paragraph.match(/^\*\*([^*]+)\.\*\*\s+(.*)$/s) ?? [];
    if (title) found.push({ id: title.toLowerCase().replace(/\W+/g, "-"), title, text });
    else found[found.length - 1].text += `\n\n${paragraph}`;
  }
  return found;
}

/** Returns a string unchanged, and any other value as indented JSON. */
export const pretty = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
