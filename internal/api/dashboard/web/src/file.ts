// Files that the user takes along.

/** Hands a file to the browser's downloads. */
export function download(file: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export type CSVValue = string | number | null | undefined;

/** Rows as a CSV file; the first one names the columns. */
export const csvFile = (rows: CSVValue[][]) => new Blob(rows.map(csvLine), { type: "text/csv;charset=utf-8" });

const csvLine = (row: CSVValue[]) => row.map(csvCell).join(",") + "\r\n";

/** One cell. A text that a spreadsheet would take for a formula is marked as text. */
function csvCell(value: CSVValue): string {
  if (value == null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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
