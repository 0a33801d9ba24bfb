// How often each source is cited in sentences that name each brand.
import { useState } from "preact/hooks";
import type { SourceMatrix, SourceMatrixRow } from "../../api.gen";
import { CardTable } from "../../table";
import { Button, number } from "../../ui";
import { answersAddress, type numberQuery } from "../address";
import { Value } from "../pieces";

const firstRows = 20;

type MatrixProps = { tracker: string; matrix: SourceMatrix; query: ReturnType<typeof numberQuery> };

export function Matrix({ tracker, matrix, query: { from, to, filter = "" } }: MatrixProps) {
  const [all, setAll] = useState(false);
  const rows = matrix.rows.filter(({ mentions }) => mentions.some((count) => count > 0));
  if (!rows.length) return null;
  const cell = (source: string, brand: string, count: number) => {
    const shown = <Value of={count} show={number} />;
    if (!count) return shown;
    const query = new URLSearchParams({ source, filter, counted: "true", dueFrom: from, dueTo: to });
    return <a href={answersAddress(tracker, `?${query}`, brand)}>{shown}</a>;
  };
  return (
    <section class="card" data-testid="source-matrix">
      <h2>Sources by brand</h2>
      <p class="faint">How often sentences that cite the source name the brand. Select a number to read the answers.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Sources by brand, scrollable">
        <CardTable
          label="Sources by brand"
          rows={rows.slice(0, all ? undefined : firstRows)}
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
      {rows.length > firstRows && (
        <Button
          text={all ? "Show fewer" : `Show all ${number(rows.length)}`}
          class="small"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        />
      )}
    </section>
  );
}
