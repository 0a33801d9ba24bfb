// Who is named how often: the panel as a table.
import { useState } from "preact/hooks";
import type { ComparedRow, MetricRow, Tracker } from "../api.gen";
import { Button, counted } from "../ui";
import { answersAddress } from "./address";
import { brandColor, BrandName, Delta, Value, type PanelBrand } from "./pieces";
import { range } from "./words";

/** The metrics that the table shows; position comes with the shares of its places. */
export const leagueMetrics = ["visibility", "shareOfVoice", "firstNamed", "position", "citationRate"] as const;
type Column = (typeof leagueMetrics)[number];

const titles: Record<Column, string> = {
  visibility: "Visibility",
  shareOfVoice: "Share of voice",
  firstNamed: "First named",
  position: "Position: 1 / 2–3 / 4+",
  citationRate: "Cited",
};

type LeagueProps = { tracker: Tracker; panel: PanelBrand[]; rows: MetricRow[]; compared?: ComparedRow[] };

export function League({ tracker, panel, rows, compared }: LeagueProps) {
  const [by, setBy] = useState<Column>("visibility");
  const rowOf = (brand: PanelBrand, column: Column) =>
    rows.find((row) => row.brand === brand.name && row.metric.startsWith(`${column}@`));
  const value = (brand: PanelBrand) =>
    (by === "position" ? rowOf(brand, by)?.places?.first : rowOf(brand, by)?.value) ?? -1;
  const sorted = panel.filter((brand) => rowOf(brand, "visibility")).sort((a, b) => value(b) - value(a));
  const top = Math.max(0.1, ...sorted.map((brand) => rowOf(brand, "visibility")?.interval?.rerun[1] ?? 0));
  const head = (column: Column) => (
    <th
      scope="col"
      class={column === "position" ? undefined : "number"}
      aria-sort={by === column ? "descending" : "none"}>
      <Button text={titles[column]} onClick={() => setBy(column)} />
    </th>
  );
  return (
    <section class="card" aria-label="Brands">
      <h2>Brands</h2>
      <p class="faint">
        Of {counted(sorted[0] && rowOf(sorted[0], "visibility")?.denominator, "answer")}. Bar: if asked again. Grey
        changes are within what asking twice would give.
      </p>
      <table class="row-cards" data-testid="league">
        <thead>
          <tr>
            <th scope="col">Brand</th>
            {head("visibility")}
            <th scope="col" class="wide-only">
              <span class="hidden-words">Visibility if asked again</span>
            </th>
            <th scope="col">Change, points</th>
            {head("shareOfVoice")}
            {head("firstNamed")}
            {head("position")}
            {head("citationRate")}
          </tr>
        </thead>
        <tbody>
          {sorted.map((brand) => {
            const seen = rowOf(brand, "visibility")!;
            const share = (column: Column) => (
              <>
                <Value of={rowOf(brand, column)?.value} />
                <div class="faint">{range(rowOf(brand, column)?.interval?.rerun)}</div>
              </>
            );
            return (
              <tr key={brand.name} class={brand.look === 0 ? "lead-row" : undefined}>
                <th scope="row" data-label="Brand">
                  <BrandName brand={brand} />
                </th>
                <td data-label="Visibility" class="number">
                  <a href={answersAddress(tracker.name, seen.answersUrl, brand.name)}>
                    <strong>
                      <Value of={seen.value} />
                    </strong>
                  </a>
                  <div class="faint">{range(seen.interval?.rerun)}</div>
                </td>
                <td class="rail-cell wide-only">
                  <span class="rail" aria-hidden="true">
                    {seen.interval && (
                      <i
                        style={{
                          left: `${(100 * seen.interval.rerun[0]) / top}%`,
                          width: `${(100 * (seen.interval.rerun[1] - seen.interval.rerun[0])) / top}%`,
                          background: brandColor(brand.look),
                        }}
                      />
                    )}
                  </span>
                </td>
                <td data-label="Change, points">
                  <Delta
                    row={compared?.find((row) => row.brand === brand.name && row.target === seen.target)}
                    own={brand.own}
                  />
                </td>
                <td data-label="Share of voice" class="number">
                  {share("shareOfVoice")}
                </td>
                <td data-label="First named" class="number">
                  {share("firstNamed")}
                </td>
                <td data-label={titles.position}>
                  <Places row={rowOf(brand, "position")} look={brand.look} />
                </td>
                <td data-label="Cited" class="number">
                  {share("citationRate")}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** Where a brand stands in the answers that name it. */
function Places({ row, look }: { row?: MetricRow; look: number }) {
  if (!row?.places) return <span class="faint">–</span>;
  const { first, twoToThree, fourOrMore } = row.places;
  const parts = [first, twoToThree, fourOrMore];
  return (
    <span class="places">
      <span class="parts" aria-hidden="true" style={{ color: brandColor(look) }}>
        {parts.map((share, i) => (
          <i key={i} class={`p${i}`} style={{ width: `${100 * share}%` }} />
        ))}
      </span>
      <span class="faint">{parts.map((share) => (100 * share).toFixed(0)).join(" / ")} %</span>
    </span>
  );
}
