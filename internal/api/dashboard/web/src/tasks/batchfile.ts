// Files of questions, and the idempotency keys of their rows. The command line does
// the same in its own language (internal/files/batchfile), and testdata/vectors.json there
// holds both to one rule: a file that is sent twice, by whatever program, is paid once.
import { parseCsv, separatorOf } from "./csv";

export type Fields = Record<string, unknown>;

/** A row of a file: its fields by name, or what is wrong with it. */
export interface FileRow { line: number; fields: Fields; fault?: string }

/** What a row asks: the provider's request, and what stands beside it. */
export interface Question { provider?: string; priority?: number; webhook?: string; key?: string; payload: Fields }

/** White space as both languages see it. */
const trim = (text: string) => text.replace(/^[\s\u0085]+|[\s\u0085]+$/g, "");

const known = ["prompt", "query", "country", "provider", "taskType", "priority", "include", "webhook", "idempotencyKey"];
const knownName = (name: string) => known.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;

/** The names in the head of a table. */
export const headOf = (text: string) => (parseCsv(text, separatorOf(text))[0]?.fields ?? []).map((name) => knownName(trim(name)));

/** Reads a table with a head. Empty cells are left out. */
export function readTable(text: string): FileRow[] {
  const head = headOf(text);
  return parseCsv(text, separatorOf(text)).slice(1).map(({ line, fields: cells, fault }) => {
    const fields: Fields = {};
    if (cells.slice(head.length).some((cell) => trim(cell))) fault ??= "has more fields than the head of the file";
    head.forEach((name, i) => {
      const cell = trim(cells[i] ?? "");
      if (!cell || !name) return;
      const value = fieldValue(name, cell);
      if (name === "include" && value === cell) include(fields, cell.split(/[,; ]+/).filter(Boolean));
      else if (!setField(fields, name, value)) fault ??= `has a value where ${name} needs an object`;
    });
    return { line, fields, fault };
  });
}

/** Reads one JSON object a line. Names may have dots, as in a table, unless the object has a payload of its own. */
export function readObjects(text: string): FileRow[] {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  return lines.map((line, i) => ({ line: i + 1, text: line.trim() })).filter((row) => row.text).map((row) => {
    const object = parse(row.text);
    if (!isObject(object)) return { line: row.line, fields: {}, fault: "is no JSON object" };
    if ("payload" in object) return { line: row.line, fields: object };
    const fields: Fields = {};
    const fit = Object.keys(object).sort(byCodePoint).every((name) => setField(fields, name, object[name]));
    return { line: row.line, fields, fault: fit ? undefined : "has a value where a name with dots needs an object" };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

function include(fields: Fields, parts: string[]) {
  // Sorted, so that a part comes before the parts below it; below one that is switched on a part changes nothing.
  for (const part of parts.sort(byCodePoint)) setField(fields, `include.${part}`, part === "searchoverview" ? {} : true);
}

/** Sets a field by its name; dots lead into objects. Tells whether they do. */
function setField(fields: Fields, name: string, value: unknown): boolean {
  const names = name.split(".");
  const last = names.pop()!;
  let object = fields;
  for (const outer of names) {
    const inner = own(object, outer) ?? put(object, outer, {});
    if (!isObject(inner)) return false;
    object = inner;
  }
  put(object, last, value);
  return true;
}

/** The object's own field, and no other: a column may be called __proto__. */
const own = (object: Fields, name: string) => (Object.hasOwn(object, name) ? object[name] : undefined);

function put(object: Fields, name: string, value: unknown): unknown {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  return value;
}

/** Fields that hold words: they are text even if they look like a number. */
const texts = [
  "prompt", "query", "url", "location", "country", "gl", "hl", "uule", "state", "device", "provider", "taskType", "webhook", "idempotencyKey",
];

/** A cell as a value: words as text; true and false, and in include yes, no, 1 and 0; then JSON; and else text. */
function fieldValue(name: string, cell: string): unknown {
  if (texts.includes(name)) return cell;
  const lower = cell.toLowerCase();
  const flag = name.startsWith("include.");
  if (lower === "true" || (flag && (lower === "yes" || lower === "1"))) return true;
  if (lower === "false" || (flag && (lower === "no" || lower === "0"))) return false;
  const value = parse(cell);
  return value === undefined || (typeof value === "number" && !Number.isFinite(value)) ? cell : value;
}

/** Takes a row apart, or tells what is wrong with it. A row may have the API's own shape, with a payload. */
export function questionOf(fields: Fields): Question | string {
  const { provider, taskType, priority, webhook, idempotencyKey, ...rest } = fields;
  const question: Question = { payload: rest };
  for (const name of [provider, taskType]) {
    if (name === undefined) continue;
    if (typeof name !== "string" || !name) return "has a provider that is no name";
    question.provider ??= name;
  }
  if (priority !== undefined) {
    question.priority = Number(priority);
    if (!Number.isInteger(question.priority) || question.priority < 1 || question.priority > 10) return "has a priority that is not from 1 to 10";
  }
  if (webhook !== undefined) {
    const url = isObject(webhook) ? webhook.url : webhook;
    if (typeof url !== "string" || !url) return "has a webhook that is no URL";
    question.webhook = url;
  }
  if (idempotencyKey !== undefined) {
    if (typeof idempotencyKey !== "string" || !idempotencyKey) return "has an idempotencyKey that is no text";
    question.key = idempotencyKey;
  }
  if (!isObject(rest.payload)) return question;
  const beside = Object.keys(rest).find((name) => name !== "payload");
  if (beside) return `has ${beside} beside payload: it belongs inside, or nowhere`;
  return { ...question, payload: { ...rest.payload } };
}

/** The request for a provider that expects the text in a field, from a country where the row names no place. */
export function payloadFor({ payload }: Question, textField: string, country: string): Fields {
  const request = { ...payload };
  if (country && request.country == null && request.gl == null && request.url == null) request.country = country;
  const other = textField === "prompt" ? "query" : "prompt";
  if (other in request && request[textField] == null) {
    request[textField] = request[other];
    delete request[other];
  }
  return request;
}

/**
 * The idempotency keys of the questions of a run. They do not depend on the line: rows
 * can be added anywhere without paying for the others again. The second question of
 * the same content has another key than the first: both are wanted.
 */
export class Keys {
  private readonly seen = new Map<string, number>();

  constructor(private readonly run: string) {}

  next(provider: string, payload: Fields): string {
    const content = canonical([this.run, provider, payload]);
    const n = this.seen.get(content) ?? 0;
    this.seen.set(content, n + 1);
    return "earshot-batch-" + sha256(`${n} ${content}`).slice(0, 40);
  }
}

/** JSON in the one form that every program writes: without white space, names sorted. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort(byCodePoint).map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** The order of the texts' UTF-8, which that of their UTF-16 is not. */
function byCodePoint(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < left.length && i < right.length; i++) {
    if (left[i] !== right[i]) return left[i].codePointAt(0)! - right[i].codePointAt(0)!;
  }
  return left.length - right.length;
}

const primes = Array.from({ length: 312 }, (_, n) => n).filter((n) => n > 1 && !Array.from({ length: n }, (_, d) => d).some((d) => d > 1 && n % d === 0));
const fraction = (value: number) => ((value - Math.floor(value)) * 0x100000000) >>> 0;
const roundConstants = primes.slice(0, 64).map((n) => fraction(Math.cbrt(n)));
const initial = primes.slice(0, 8).map((n) => fraction(Math.sqrt(n)));

/** SHA-256 as hex. The browser's own is there on https and localhost only. */
function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const hash = [...initial];
  for (let block = 0; block < padded.length; block += 64) mix(hash, view, block);
  return hash.map((word) => word.toString(16).padStart(8, "0")).join("");
}

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));

function mix(hash: number[], view: DataView, block: number) {
  const words = Array.from({ length: 64 }, (_, i) => (i < 16 ? view.getUint32(block + i * 4) : 0));
  for (let i = 16; i < 64; i++) {
    const a = words[i - 15];
    const b = words[i - 2];
    words[i] = (words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)) + words[i - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10))) | 0;
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i++) {
    const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + roundConstants[i] + words[i]) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] = (hash[i] + word) >>> 0));
}
