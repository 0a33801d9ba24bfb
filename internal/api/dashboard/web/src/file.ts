// Downloads and uploads of files.

/** Downloads a file. */
export function download(file: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export type CSVValue = string | number | null | undefined;

/** Returns rows as a CSV file. The first row has the names of the columns. */
export const csvFile = (rows: CSVValue[][]) => new Blob(rows.map(csvLine), { type: "text/csv;charset=utf-8" });

/** Returns rows as a CSV file with the given columns. */
export const csvOf = <Row>(rows: Row[], columns: Record<string, (row: Row) => CSVValue>) =>
  csvFile([Object.keys(columns), ...rows.map((row) => Object.values(columns).map((read) => read(row)))]);

const csvLine = (row: CSVValue[]) => row.map(csvCell).join(",") + "\r\n";

/** Returns one CSV cell. A text that a spreadsheet would read as a formula gets an apostrophe. */
function csvCell(value: CSVValue): string {
  if (value == null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Decodes a text file: UTF-16 with a byte order mark, UTF-8, or else windows-1252, which older spreadsheets write. */
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
