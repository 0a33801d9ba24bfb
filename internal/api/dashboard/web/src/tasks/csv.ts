// A reader of CSV as RFC 4180 has it, and as spreadsheets write it.

/** One record: where it begins in the file, its fields, and what is wrong with it. */
export interface CsvRecord { line: number; fields: string[]; fault?: string }

/**
 * Reads all records. Without a separator a record is one field: a list of
 * prompts may have commas that nobody put into quotes. Empty lines are skipped.
 *
 *   parseCsv('a,b\r\n1,2', ",")        [["a", "b"], ["1", "2"]]
 *   parseCsv('"a,b";c', ";")           [["a,b", "c"]]
 *   parseCsv('"say ""hi""\nthere"')    [['say "hi"\nthere']]
 *   parseCsv('one, two\n"one, two"')   [["one, two"], ["one, two"]]
 *   parseCsv('5" pipe, steel')         [['5" pipe, steel']]; a quote counts at the start of a field only
 *   parseCsv('"never closed')          one record with a fault
 */
export function parseCsv(text: string, separator = ""): CsvRecord[] {
  const records: CsvRecord[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { line, fields: [] };
    for (;;) {
      const field = text[at] === '"' ? quoted(text, at) : plain(text, at, separator);
      at = field.end;
      line += field.lines;
      record.fields.push(field.value);
      record.fault ??= field.fault;
      if (at < text.length && text[at] === separator) at++;
      else if (ends(text, at)) break;
      else {
        // What follows a closing quote belongs to nothing; the rest of the line is skipped.
        record.fault ??= "has text after a closing quote";
        at = plain(text, at, "").end;
        break;
      }
    }
    if (text[at] === "\r" && text[at + 1] === "\n") at++;
    at++;
    line++;
    if (record.fault || record.fields.some((field) => field.trim())) records.push(record);
  }
  return records;
}

const ends = (text: string, at: number) => at >= text.length || text[at] === "\n" || text[at] === "\r";

function plain(text: string, start: number, separator: string): Field {
  let end = start;
  while (!ends(text, end) && text[end] !== separator) end++;
  return { value: text.slice(start, end), end, lines: 0 };
}

function quoted(text: string, start: number): Field {
  let at = start + 1;
  let value = "";
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return { value: value + text.slice(at), end: text.length, lines: 0, fault: "has a quote that is never closed" };
    value += text.slice(at, close);
    at = close + 1;
    if (text[at] !== '"') return { value: value.replaceAll("\r\n", "\n"), end: at, lines: value.split(/\r\n|\r|\n/).length - 1 };
    value += '"';
    at++;
  }
}

interface Field { value: string; end: number; lines: number; fault?: string }

/** The separator of a file: the one that parts the first record into most fields. */
export function separatorOf(text: string): string {
  const head = text.slice(0, 10_000);
  const fields = (separator: string) => parseCsv(head, separator)[0]?.fields.length ?? 0;
  return [",", ";", "\t"].reduce((best, next) => (fields(next) > fields(best) ? next : best));
}

/** The text of a file: UTF-8, UTF-16 with its mark, or else what older spreadsheets write. */
export async function textOf(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
