// From lines or a file to tasks.
import type { Payload } from "../api";
import type { TaskRequest, TaskType } from "../api.gen";
import { follow, type OpenAPI, type Provider, type Schema } from "../schema";
import { headOf, Keys, payloadFor, questionOf, readObjects, readTable, type Fields, type FileRow } from "./batchfile";
import { parseCsv } from "./csv";

/** What is asked for, as the form has it. */
export interface Draft { taskType: TaskType | ""; country: string; priority: string; webhook: string; text: string; file: string; again: string }

/** One row: its line, what it asks, and the task, or what is wrong with it. */
export interface Row { line: number; question: string; request: TaskRequest; fault?: string; credits?: number }

export interface Rows { rows: Row[]; ignored: string[] }

/** Reads the draft's text: every line a prompt, or, from a file, a table or JSON lines. chosen is whom rows ask that name no provider. */
export function readRows(draft: Draft, chosen: Provider, api: OpenAPI, providers: Provider[]): Rows {
  // The same questions have the same keys, so that submitting them again queues nothing twice.
  const keys = new Keys(draft.again);
  const ignored = new Set<string>();
  const rows = (draft.file ? readFile(draft) : readLines(draft.text)).map(({ line, fields, fault }): Row => {
    const nothing: Row = { line, question: "", request: { taskType: chosen.taskType, payload: {} } };
    if (fault) return { ...nothing, fault };
    const asked = questionOf(fields);
    if (typeof asked === "string") return { ...nothing, fault: asked };
    const provider = asked.provider ? named(providers, asked.provider) : chosen;
    if (!provider) return { ...nothing, fault: `has no known provider: ${asked.provider}` };
    const payload = fit(payloadFor(asked, provider.textField, draft.country), provider.schema, api, ignored);
    const request: TaskRequest = { taskType: provider.taskType, payload, idempotencyKey: asked.key ?? keys.next(provider.name, payload) };
    const priority = asked.priority ?? (draft.priority ? Number(draft.priority) : undefined);
    if (priority !== undefined) request.priority = priority;
    const webhook = asked.webhook ?? draft.webhook;
    if (webhook) request.webhook = { url: webhook };
    const question = String(payload[provider.textField] ?? payload.url ?? "");
    return { line, question, request, fault: question ? undefined : "has no prompt" };
  });
  return { rows, ignored: [...ignored] };
}

const named = (providers: Provider[], name: string) => (
  providers.find((provider) => [provider.name, provider.taskType].some((known) => known.toLowerCase() === name.trim().toLowerCase()))
);

const readLines = (text: string): FileRow[] => (
  text.split(/\r\n|\r|\n/).map((line, i) => ({ line: i + 1, fields: { prompt: line.trim() } })).filter(({ fields }) => fields.prompt)
);

/** A file: JSON lines, a table, or, without a head that names what is asked, a prompt a line. */
function readFile({ text, file }: Draft): FileRow[] {
  if (/\.(jsonl|ndjson)$/i.test(file) || text.trimStart().startsWith("{")) return readObjects(text);
  if (headOf(text).some((name) => ["prompt", "query", "url"].includes(name.toLowerCase()))) return readTable(text);
  return parseCsv(text).map(({ line, fields, fault }) => ({ line, fields: { prompt: fields[0].trim() }, fault }));
}

/** The fields that the provider has, whatever their letter case; others are ignored, and named. */
function fit(fields: Fields, schema: Schema, api: OpenAPI, ignored: Set<string>, above = ""): Payload {
  const fitted: Payload = {};
  for (const [name, value] of Object.entries(fields)) {
    const known = Object.keys(schema.properties ?? {}).find((one) => one.toLowerCase() === name.toLowerCase());
    if (known === undefined) {
      ignored.add(above + name);
      continue;
    }
    const field = follow(api, schema.properties?.[known]);
    const inner = typeof value === "object" && value !== null && !Array.isArray(value) && field.properties;
    fitted[known] = inner ? fit(value as Fields, field, api, ignored, `${above}${name}.`) : value;
  }
  return fitted;
}
