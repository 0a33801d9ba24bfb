// How often each source is cited in sentences that name each brand.
import { useState } from "preact/hooks";
import type { SourceMatrix, SourceMatrixRow } from "../../api.gen";
import { CardTable } from "../../table";
import { Button, number } from "../../ui";
import { Value } from "../pieces";

const firstRows = 20;

export function Matrix({ matrix }: { matrix: SourceMatrix }) {
  const [all, setAll] = useState(false);
  const rows = matrix.rows.filter(({ mentions }) => mentions.some((count) => count > 0));
  if (!rows.length) return null;
  return (
    <section class="card" data-testid="source-matrix">
      <h2>Sources by brand</h2>
      <p class="faint">How often sentences that cite the source name the brand</p>
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
                ({ mentions }: SourceMatrixRow) => <Value of={mentions[i]} show={number} />,
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
