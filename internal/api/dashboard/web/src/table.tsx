// Tables: one that can be sorted, and one whose rows become cards on a phone.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "./ui";

export interface Column<Row> {
  name: string;
  value: (row: Row) => string | number | null | undefined;
  show?: (row: Row) => ComponentChildren;
  numeric?: boolean;
  /** Takes the width that the other columns leave, and truncates longer text. */
  wide?: boolean;
}

interface TableProps<Row> {
  rows: Row[];
  columns: Column<Row>[];
  label: string;
  onOpen?: (row: Row) => void;
  rowKey?: (row: Row) => string;
  keepColumns?: boolean;
}

/**
 * A table that can be sorted by clicking a column's head. On a narrow screen each row becomes a list of its cells,
 * unless keepColumns is set. If columns are out of sight, a hint says so.
 */
export function Table<Row>({ rows, columns, label, onOpen, rowKey, keepColumns }: TableProps<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const overflows = useOverflow(box);
  const [by, setBy] = useState<{ column: string; down: boolean }>();
  const column = columns.find((c) => c.name === by?.column);
  const sorted = column
    ? [...rows].sort((a, b) => compare(column.value(a), column.value(b)) * (by!.down ? -1 : 1))
    : rows;
  const look = (c: Column<Row>) => [c.numeric && "number", c.wide && "wide"].filter(Boolean).join(" ") || undefined;
  const region = overflows ? { role: "region" as const, tabIndex: 0, "aria-label": `${label}, scrollable` } : {};
  return (
    <>
      {overflows && <p class="faint sideways">Scroll right for more columns →</p>}
      <div class={keepColumns ? "scroll" : "scroll folds"} ref={box} {...region}>
        <table role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((c) => {
                const sort = by?.column === c.name ? (by.down ? "descending" : "ascending") : "none";
                return (
                  <th key={c.name} role="columnheader" aria-sort={sort} class={look(c)}>
                    <Button text={c.name} onClick={() => setBy({ column: c.name, down: sort === "ascending" })} />
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {sorted.map((row, i) => (
              <tr
                key={rowKey?.(row) ?? i}
                role="row"
                class={onOpen && "opens"}
                tabIndex={onOpen ? 0 : undefined}
                onClick={() => onOpen?.(row)}
                onKeyDown={(event) => event.key === "Enter" && onOpen?.(row)}>
                {columns.map((c) => (
                  <td key={c.name} role="cell" data-label={c.name} class={look(c)}>
                    {c.show ? c.show(row) : c.value(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The cells of a table by the names of their columns; the name of a column of numbers begins with #. */
export type Cells<Row> = Record<string, (row: Row) => ComponentChildren>;

interface CardTableProps<Row> {
  label: string;
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  /** The first column names the row. A column whose name begins with ~ is a bar, which phones leave out. */
  cells: Cells<Row>;
  rowClass?: (row: Row) => string | undefined;
  /** The content of a row's second line, if it is open. */
  detail?: (row: Row) => ComponentChildren;
  /** The column that the rows are sorted by, and the columns that can be chosen. */
  sort?: { by: string; columns: string[]; choose: (column: string) => void };
  testid?: string;
  /** Keeps its columns on a phone. */
  plain?: boolean;
}

/** A table whose rows become cards on a phone. */
export function CardTable<Row>({ label, rows, rowKey, cells, ...look }: CardTableProps<Row>) {
  const { rowClass, detail, sort, testid, plain } = look;
  const columns = Object.entries(cells).map(([name, show]) => {
    const text = name.replace(/^[#~]/, "");
    const kind = name.startsWith("#") ? "number" : name.startsWith("~") ? "bar-cell wide-only" : undefined;
    return { text, kind, show, isBar: name.startsWith("~") };
  });
  const head = (text: string) =>
    sort?.columns.includes(text) ? <Button text={text} onClick={() => sort.choose(text)} /> : text;
  return (
    <table class={plain ? undefined : "row-cards"} aria-label={label} data-testid={testid}>
      <thead>
        <tr>
          {columns.map(({ text, kind, isBar }) => (
            <th key={text} scope="col" class={kind} aria-sort={sort?.by === text ? "descending" : undefined}>
              {isBar ? <span class="hidden-words">{text}</span> : head(text)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.flatMap((row) => {
          const key = rowKey(row);
          const [first, ...rest] = columns;
          const more = detail?.(row);
          return [
            <tr key={key} class={rowClass?.(row)}>
              <th scope="row" data-label={first.text}>
                {first.show(row)}
              </th>
              {rest.map(({ text, kind, show, isBar }) => (
                <td key={text} class={kind} data-label={isBar ? undefined : text}>
                  {show(row)}
                </td>
              ))}
            </tr>,
            more && (
              <tr key={`${key} detail`} class="opened inner">
                <td colSpan={columns.length}>{more}</td>
              </tr>
            ),
          ];
        })}
      </tbody>
    </table>
  );
}

/** Reports whether the content of a box is wider than the box. */
export function useOverflow(box: { current: HTMLElement | null }) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const watch = new ResizeObserver(() => setOver(current.scrollWidth > current.clientWidth + 1));
    watch.observe(current);
    watch.observe(current.firstElementChild!);
    return () => watch.disconnect();
  }, []);
  return over;
}

function compare(a: string | number | null | undefined, b: string | number | null | undefined) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""), undefined, { numeric: true });
}
