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
