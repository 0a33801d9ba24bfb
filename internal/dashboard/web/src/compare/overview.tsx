// Which answers cite a domain or name a brand, all at one glance.
import { Table, Tabs, type Column } from "../ui";
import type { Cell } from "./cells";
import { Mark } from "./chips";
import { columnNames, type Mention } from "./shared";

export function Overview({ cells, domains, entities }: { cells: Cell[]; domains: Mention[]; entities: Mention[] }) {
  const names = columnNames(cells);
  return (
    <section class="card" data-testid="matrix">
      <Tabs label="What the answers share" tabs={[
        { name: "Domains", content: () => <Mentions rows={domains} what="Domain" columns={names} /> },
        { name: "Entities", content: () => <Mentions rows={entities} what="Entity" columns={names} /> },
      ]} />
    </section>
  );
}

function Mentions({ rows, what, columns }: { rows: Mention[]; what: string; columns: string[] }) {
  if (!rows.length) return <p class="faint">{what === "Domain" ? "No answer cites a source." : "No answer names a brand or product."}</p>;
  const first: Column<Mention>[] = [
    { name: what, value: (row) => row.name, show: (row) => <><Mark share={row.share} /> {row.name} {row.kind && <span class="badge">{row.kind}</span>}</> },
    { name: "Answers", value: (row) => row.cells, show: (row) => `${row.cells} of ${columns.length}`, numeric: true },
    { name: "Total", value: (row) => row.total, numeric: true },
  ];
  const counts = columns.map((name, i): Column<Mention> => ({
    name, value: (row) => row.counts[i], show: (row) => row.counts[i] || <span class="faint">–</span>, numeric: true,
  }));
  return <div class="matrix"><Table label={`${what} by answer`} rows={rows} columns={[...first, ...counts]} rowKey={(row) => row.name} /></div>;
}
