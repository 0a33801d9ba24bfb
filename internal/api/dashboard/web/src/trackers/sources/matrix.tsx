// How often each source is cited in sentences that name each brand.
import type { SourceMatrix, SourceMatrixRow } from "earshot";
import { CardTable } from "../../table";
import { number } from "../../ui";
import { answersAddress, type numberQuery } from "../address";
import { useFirst, Value } from "../pieces";

const firstRows = 20;

type MatrixProps = { tracker: string; matrix: SourceMatrix; query: ReturnType<typeof numberQuery> };

export function Matrix({ tracker, matrix, query: { from, to, filter = "" } }: MatrixProps) {
  const rows = matrix.rows.filter(({ mentions }) => mentions.some((count) => count > 0));
  const [shown, more] = useFirst(rows, firstRows);
  if (!rows.length) return null;
  const cell = (source: string, brand: string, count: number) => {
    const value = <Value of={count} show={number} />;
    if (!count) return value;
    const query = new URLSearchParams({ source, filter, counted: "true", dueFrom: from, dueTo: to });
    return <a href={answersAddress(tracker, `?${query}`, brand)}>{value}</a>;
  };
  return (
    <section class="card" data-testid="source-matrix">
      <h2>Sources by brand</h2>
      <p class="faint">How often sentences that cite the source name the brand. Select a number to read the answers.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Sources by brand, scrollable">
        <CardTable
          label="Sources by brand"
          rows={shown}
          rowKey={({ source }) => source}
          cells={{
            Source: ({ source }: SourceMatrixRow) => source,
            ...Object.fromEntries(
              matrix.brands.map((brand, i) => [
                `#${brand}`,
                ({ source, mentions }: SourceMatrixRow) => cell(source, brand, mentions[i]),
              ]),
            ),
          }}
        />
      </div>
      {more}
    </section>
  );
}
