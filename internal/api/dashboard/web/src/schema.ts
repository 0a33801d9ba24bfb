// The types of the OpenAPI document, and functions that resolve its references.
import type { Payload } from "./api";
import type { Provider as ProviderName, TaskType } from "earshot";

/** The parts of a JSON schema that the dashboard reads. */
export interface Schema {
  $ref?: string;
  description?: string;
  deprecated?: boolean;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
  dependentSchemas?: Record<string, Schema>;
}

/** A node that may be a reference to another node. */
interface Reference {
  $ref?: string;
}

interface ExampleNode extends Reference {
  summary?: string;
  value?: unknown;
}
interface ContentNode {
  schema?: Schema;
  examples?: Record<string, ExampleNode>;
  example?: unknown;
}
export interface BodyNode extends Reference {
  description?: string;
  content?: Record<string, ContentNode>;
}
export interface ReplyNode extends BodyNode {
  headers?: Record<string, Reference & { description?: string }>;
}
export interface ParameterNode extends Reference {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}
interface OperationNode {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: ParameterNode[];
  requestBody?: BodyNode;
  responses?: Record<string, ReplyNode>;
  "x-scope"?: string;
  "x-provider"?: ProviderName;
  "x-task-type"?: TaskType;
  "x-text-field"?: string;
}
export const methods = ["get", "post", "put", "patch", "delete"] as const;
export type PathNode = { [M in (typeof methods)[number]]?: OperationNode } & { parameters?: ParameterNode[] };

export interface OpenAPI {
  info: { title: string; version: string; summary?: string; description?: string };
  tags?: { name: string; description?: string }[];
  security?: object[];
  paths: Record<string, PathNode>;
  webhooks?: Record<string, PathNode>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes?: Record<string, { scheme?: string; bearerFormat?: string; description?: string }>;
  };
}

/** A provider in the OpenAPI document. textField is the name of the field with the prompt or query. */
export interface Provider {
  name: ProviderName;
  taskType: TaskType;
  textField: string;
  summary: string;
  description: string;
  schema: Schema;
  example: Payload;
}

const maxHops = 20;

/** Resolves the references of a node. Siblings of a reference, and allOf without a condition, are merged into it. */
export function follow<Node extends Reference>(api: OpenAPI, node: Node | undefined): Omit<Node, "$ref"> {
  let found: Reference & Schema = node ?? {};
  for (let hops = 0; hops < maxHops && found.$ref !== undefined; hops++) {
    const { $ref, ...siblings } = found;
    found = merge(target(api, $ref), siblings);
  }
  const { $ref, ...resolved } = found;
  return flat(api, resolved) as unknown as Omit<Node, "$ref">;
}

/** Merges the unconditional parts of allOf into a schema. */
function flat(api: OpenAPI, { allOf, ...rest }: Schema): Schema {
  if (!allOf) return rest;
  const conditional = allOf.filter((part) => part.if);
  const merged = allOf
    .filter((part) => !part.if)
    .reduce<Schema>((under, part) => merge(under, follow(api, part)), rest);
  return conditional.length ? { ...merged, allOf: [...(merged.allOf ?? []), ...conditional] } : merged;
}

function target(api: OpenAPI, ref: string): Schema {
  const steps = ref.startsWith("#/") ? ref.slice(2).split("/") : [""];
  let node: unknown = api;
  for (const step of steps)
    node = (node as Record<string, unknown> | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  return (node as Schema | undefined) ?? {};
}

/** Merges two schemas; over takes precedence. */
function merge(under: Schema, over: Schema): Schema {
  const merged = { ...under, ...over };
  if (under.required && over.required) merged.required = [...new Set([...under.required, ...over.required])];
  if (under.properties && over.properties) {
    merged.properties = { ...under.properties };
    for (const [name, property] of Object.entries(over.properties))
      merged.properties[name] = merge(under.properties[name] ?? {}, property);
  }
  return merged;
}

/** Returns the name of a schema: the last part of its reference. */
export const refName = ({ $ref, allOf }: Schema): string =>
  $ref ? $ref.split("/").pop()! : (allOf?.map(refName).find(Boolean) ?? "");
