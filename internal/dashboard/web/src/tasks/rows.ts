// From lines or a CSV file to tasks.
import type { Payload } from "../api";
import type { TaskRequest, TaskType } from "../api.gen";
import { follow, type OpenAPI, type Provider, type Schema } from "../schema";
import { parseCsv, separatorOf, type CsvRecord } from "./csv";

/** What is asked for, as the form has it. */
export interface Draft { taskType: TaskType | ""; country: string; priority: string; webhook: string; text: string; file: string; again: string }

/** One row: its line, what it asks, and the task, or what is wrong with it. */
export interface Row { line: number; question: string; request: TaskRequest; fault?: string; credits?: number }

export interface Rows { rows: Row[]; ignored: string[] }

/** What columns can be: fields of a task, fields that hold what is asked, and the rest of the providers' fields. */
interface Columns { api: OpenAPI; ofTask: Record<string, Schema>; textFields: string[] }

/** Reads the draft's text: every line a prompt, or, from a file, CSV with or without a head. chosen is whom rows ask that name no task type. */
export function readRows(draft: Draft, chosen: Provider, api: OpenAPI, providers: Provider[]): Rows {
  const byType = new Map<string, Provider>(providers.map((provider) => [provider.taskType, provider]));
  const ofTask = api.components.schemas.TaskRequest?.properties ?? {};
  const columns: Columns = { api, ofTask, textFields: [...new Set(providers.map(({ textField }) => textField))] };
  const { head, records } = draft.file ? readFile(draft.text, columns) : readLines(draft.text, columns);
  const hash = hashOf([draft.text, chosen.taskType, draft.country, draft.again].join("\0"));
  const ignored = new Set<string>();
  const rows = records.map((record): Row => {
    const cells = new Map(head.map((name, i) => [name, (record.fields[i] ?? "").trim()]));
    const named = cells.get("taskType");
    const provider = named ? byType.get(named) : chosen;
    if (!provider) return { line: record.line, question: "", request: { taskType: chosen.taskType, payload: {} }, fault: `has no known taskType: ${named}` };
    const row = toRow(cells, provider, columns, ignored);
    complete(row.request, draft, `batch-${hash}-${record.line}`);
    return { ...row, line: record.line, fault: record.fault ?? faultOf(record.fields.slice(head.length), row.question) };
  });
  return { rows, ignored: [...ignored] };
}

function faultOf(beyondHead: string[], question: string): string | undefined {
  if (beyondHead.some((field) => field.trim())) return "has more fields than the head of the file";
  return question ? undefined : "has no prompt";
}

function readLines(text: string, { textFields }: Columns): { head: string[]; records: CsvRecord[] } {
  const records = text.split(/\r\n|\r|\n/).map((line, i) => ({ line: i + 1, fields: [line] }));
  return { head: textFields.slice(0, 1), records: records.filter(({ fields }) => fields[0].trim()) };
}

function readFile(text: string, { ofTask, textFields }: Columns): { head: string[]; records: CsvRecord[] } {
  const separator = separatorOf(text);
  const [first, ...rest] = parseCsv(text, separator);
  const names = first?.fields.map((name) => Object.keys(ofTask).find((known) => known.toLowerCase() === name.trim().toLowerCase()) ?? name.trim()) ?? [];
  if (names.some((name) => [...textFields, "url"].includes(name.toLowerCase()))) return { head: names, records: rest };
  return { head: textFields.slice(0, 1), records: parseCsv(text) };
}

/** The task of one record; cells that the provider has no field for are ignored, and named. */
function toRow(cells: Map<string, string>, { taskType, textField, schema }: Provider, { api, ofTask, textFields }: Columns, ignored: Set<string>) {
  const request: TaskRequest = { taskType, payload: {} };
  let question = "";
  for (const [name, cell] of cells) {
    if (!cell || name === "taskType") continue;
    if (name === "webhook") request.webhook = { url: cell };
    // What is no number stays text, and the server says so.
    else if (name === "priority") request.priority = cast(follow(api, ofTask.priority), cell) as number;
    else if (name === "idempotencyKey") request.idempotencyKey = cell;
    else {
      const [first, ...rest] = name.split(".");
      const path = [textFields.includes(first.toLowerCase()) ? textField : fieldOf(first, schema), ...rest];
      if (!put(request.payload, path, cell, schema, api)) ignored.add(name);
      else if ([textField, "url"].includes(path[0])) question ||= cell;
    }
  }
  return { question, request };
}

/** A column's field in the payload; letter case does not matter. */
const fieldOf = (name: string, schema: Schema) => Object.keys(schema.properties ?? {}).find((known) => known.toLowerCase() === name.toLowerCase()) ?? name;

/** Sets a field by its path, as include.html is nested. Tells whether there is such a field. */
function put(into: Payload, [name, ...rest]: string[], cell: string, schema: Schema, api: OpenAPI): boolean {
  if (!schema.properties || !Object.hasOwn(schema.properties, name)) return false;
  const field = follow(api, schema.properties[name]);
  if (rest.length) {
    const inner = into[name];
    const object = typeof inner === "object" && inner !== null ? { ...inner } : {};
    into[name] = object;
    return put(object, rest, cell, field, api);
  }
  into[name] = cast(field, cell);
  return true;
}

/** A cell as the type that its field has. What does not fit stays text, and the server tells why it is wrong. */
function cast(schema: Schema, cell: string): unknown {
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
