// What the answers have in common, as a table and as marks with a symbol and a color.
import { Table, type Column } from "../table";
import { Tabs } from "../ui";
import { cellName, type Cell } from "./run";
import { allMadeUp, answered, columnNames, shares, type Mention, type Share } from "./shared";

interface OverviewProps {
  cells: Cell[];
  domains: Mention[];
  entities: Mention[];
  /** Set if a tracker is chosen. */
  brands?: Mention[];
}

export function Overview({ cells, domains, entities, brands }: OverviewProps) {
  const madeUp = allMadeUp(cells);
  const names = madeUp ? answered(cells).map(cellName) : columnNames(cells);
  return (
    <section class="card" data-testid="matrix">
      {madeUp && (
        <p class="lab-note">
          <strong>Sample data.</strong> The built-in lab generated all of these answers.
        </p>
      )}
      <Tabs
        key={brands ? "brands" : ""}
        label="In common"
        tabs={[
          ...(brands
            ? [
                {
                  name: "Brands",
                  content: () => (
                    <>
                      <Mentions rows={brands} what="Brand" columns={names} />
                      <p class="faint">Mentions per answer, by the matching rules of the tracker</p>
                    </>
                  ),
                },
              ]
            : []),
          { name: "Domains", content: () => <Mentions rows={domains} what="Domain" columns={names} /> },
          { name: "Entities", content: () => <Mentions rows={entities} what="Entity" columns={names} /> },
        ]}
      />
    </section>
  );
}

function Mentions({ rows, what, columns }: { rows: Mention[]; what: string; columns: string[] }) {
  if (!rows.length)
    return (
      <p class="faint">
        {what === "Domain" ? "No sources" : what === "Brand" ? "No mentions" : "No brands or products"}
      </p>
    );
  const first: Column<Mention>[] = [
    {
      name: what,
      value: (row) => row.name,
      show: (row) => (
        <>
          <Mark share={row.share} /> {row.name} {row.kind && <span class="badge">{row.kind}</span>}
        </>
      ),
    },
    { name: "Answers", value: (row) => row.cells, show: (row) => `${row.cells} of ${columns.length}`, numeric: true },
    { name: "Total", value: (row) => row.total, numeric: true },
  ];
  const counts = columns.map(
    (name, i): Column<Mention> => ({
      name,
      value: (row) => row.counts[i],
      show: (row) => row.counts[i] || <span class="faint">–</span>,
      numeric: true,
    }),
  );
  return (
    <div class="matrix">
      <Table
        keepColumns
        label={`${what} by answer`}
        rows={rows}
        columns={[...first, ...counts]}
        rowKey={(row) => row.name}
      />
    </div>
  );
}

function Mark({ share }: { share: Share }) {
  const { symbol, label } = shares[share];
  return (
    <span class={`share ${share}`} role="img" aria-label={label}>
      {symbol}
    </span>
  );
}

export function Legend({ mentions }: { mentions: Mention[] }) {
  return (
    <ul class="compare-chips legend" aria-label="Legend">
      {(Object.keys(shares) as Share[]).map((share) => (
        <li key={share} class={`compare-chip ${share}`} data-testid={`legend-${share}`}>
          <span aria-hidden="true">{shares[share].symbol}</span> {shares[share].label}:{" "}
          {mentions.filter((mention) => mention.share === share).length}
        </li>
      ))}
    </ul>
  );
}

/** The domains that one answer cites, the most common first. */
export function Domains({ mentions, column }: { mentions: Mention[]; column: number }) {
  const cited = mentions.filter(({ counts }) => counts[column] > 0);
  if (!cited.length) return <p class="faint">No sources</p>;
  return (
    <ul class="compare-chips" aria-label="Source domains">
      {cited.map(({ name, counts, share }) => (
        <li key={name} class={`compare-chip ${share}`} data-share={share} title={`${name}: ${shares[share].label}`}>
          <Mark share={share} /> {name}
          {counts[column] > 1 && <span class="faint"> ×{counts[column]}</span>}
        </li>
      ))}
    </ul>
  );
}
