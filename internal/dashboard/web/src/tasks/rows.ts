// From lines or a CSV file to tasks.
import { resolve, type OpenAPI, type Provider } from "../state";
import { parseCsv, separatorOf, type CsvRecord } from "./csv";
import type { TaskRequest } from "./types";

/** What is asked for, as the form has it. */
export interface Draft { taskType: string; country: string; priority: string; webhook: string; text: string; file: string; again: string }

/** One row: where it stands, what it asks, and the task, or what is wrong with it. */
export interface Row { line: number; question: string; request: TaskRequest; fault?: string; credits?: number }

export interface Rows { rows: Row[]; ignored: string[] }

/** The fields that hold the question, and stand for each other in the head of a file. */
const questionFields = ["prompt", "query"];

/** Reads the draft's text: every line a prompt, or, from a file, CSV with or without a head. */
export function readRows(draft: Draft, api: OpenAPI, providers: Provider[]): Rows {
  const byType = new Map(providers.map((provider) => [provider.taskType, provider]));
  const ofTask = api.components.schemas.TaskRequest?.properties ?? {};
  const { head, records } = draft.file ? readFile(draft.text, Object.keys(ofTask)) : readLines(draft.text);
  const hash = hashOf([draft.text, draft.taskType, draft.country, draft.again].join("\0"));
  const ignored = new Set<string>();
  const rows = records.map((record) => {
    const cells = new Map(head.map((name, i) => [name, (record.fields[i] ?? "").trim()]));
    const taskType = cells.get("taskType") || draft.taskType;
    const provider = byType.get(taskType);
    if (!provider) return { line: record.line, question: "", request: { taskType, payload: {} }, fault: `has no known taskType: ${taskType}` };
    const row = toRow(cells, taskType, api, provider.schema, ignored);
    complete(row.request, draft, `batch-${hash}-${record.line}`);
    return { ...row, line: record.line, fault: record.fault ?? faultOf(record.fields.slice(head.length), row.question) };
  });
  return { rows, ignored: [...ignored] };
}

function faultOf(beyondHead: string[], question: string): string | undefined {
  if (beyondHead.some((field) => field.trim())) return "has more fields than the head of the file";
  return question ? undefined : "has no prompt";
}

function readLines(text: string): { head: string[]; records: CsvRecord[] } {
  const records = text.split(/\r\n|\r|\n/).map((line, i) => ({ line: i + 1, fields: [line] }));
  return { head: ["prompt"], records: records.filter(({ fields }) => fields[0].trim()) };
}

function readFile(text: string, fieldsOfTask: string[]): { head: string[]; records: CsvRecord[] } {
  const separator = separatorOf(text);
  const [first, ...rest] = parseCsv(text, separator);
  const names = first?.fields.map((name) => fieldsOfTask.find((known) => known.toLowerCase() === name.trim().toLowerCase()) ?? name.trim()) ?? [];
  if (names.some((name) => [...questionFields, "url"].includes(name.toLowerCase()))) return { head: names, records: rest };
  return { head: ["prompt"], records: parseCsv(text) };
}

/** The task of one record; cells that the provider has no field for are ignored, and named. */
function toRow(cells: Map<string, string>, taskType: string, api: OpenAPI, schema: any, ignored: Set<string>) {
  const request: TaskRequest = { taskType, payload: {} };
  const ofTask = api.components.schemas.TaskRequest?.properties ?? {};
  let question = "";
  for (const [name, cell] of cells) {
    if (!cell || name === "taskType") continue;
    if (name === "webhook") request.webhook = { url: cell };
    else if (name === "priority") request.priority = cast(resolve(api, ofTask.priority), cell);
    else if (name === "idempotencyKey") request.idempotencyKey = cell;
    else {
      const path = fieldOf(name, schema);
      if (!put(request.payload, path, cell, schema, api)) ignored.add(name);
      else if ([...questionFields, "url"].includes(path[0])) question ||= cell;
    }
  }
  return { question, request };
}

/** A column's path in the payload: include.html is nested, and letter case does not matter. */
function fieldOf(name: string, schema: any): string[] {
  const names = Object.keys(schema.properties ?? {});
  const [first, ...rest] = name.split(".");
  const wanted = questionFields.includes(first.toLowerCase()) ? questionFields : [first.toLowerCase()];
  return [names.find((known) => wanted.includes(known.toLowerCase())) ?? first, ...rest];
}

function put(into: Record<string, any>, [name, ...rest]: string[], cell: string, schema: any, api: OpenAPI): boolean {
  if (!Object.hasOwn(schema.properties ?? {}, name)) return false;
  const field = resolve(api, schema.properties[name]);
  if (rest.length) {
    if (typeof into[name] !== "object" || into[name] === null) into[name] = {};
    return put(into[name], rest, cell, field, api);
  }
  into[name] = cast(field, cell);
  return true;
}

/** A cell as the type that its field has. What does not fit stays text, and the server tells why it is wrong. */
function cast(schema: any, cell: string): unknown {
  if (schema.type === "integer") return Number.isNaN(Number(cell)) ? cell : Number(cell);
  if (schema.type === "boolean") return /^(true|yes|1)$/i.test(cell) ? true : /^(false|no|0)$/i.test(cell) ? false : cell;
  if (schema.type !== "object") return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** Adds what the form says for all rows. */
function complete(request: TaskRequest, draft: Draft, key: string) {
  if (draft.country && !request.payload.country && !request.payload.gl && !request.payload.url) request.payload.country = draft.country;
  if (draft.priority) request.priority ??= Number(draft.priority);
  if (draft.webhook) request.webhook ??= { url: draft.webhook };
  // The same text gives the same keys, so that submitting again after an interruption queues nothing twice.
  request.idempotencyKey ??= key;
}

/**
 * A short hash of a text: two 32-bit lanes, mixed. The browser's own digests are
 * there on https and localhost only, and this guards against no attacker.
 */
function hashOf(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
    b ^= b >>> 15;
  }
  return [a, b].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
}
