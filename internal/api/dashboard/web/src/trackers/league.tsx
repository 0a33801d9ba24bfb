// The brands of a tracker as a table of metrics.
import { useState } from "preact/hooks";
import type { ComparedRow, MetricRow, Tracker } from "earshot";
import { CardTable } from "../table";
import { counted } from "../ui";
import { answersAddress } from "./address";
import { brandColor, BrandName, Delta, StrongValue, Value, type PanelBrand } from "./pieces";
import { range } from "./words";

/** The metrics that the table shows. */
export const leagueMetrics = ["visibility", "shareOfVoice", "firstNamed", "position", "citationRate"] as const;
type Metric = (typeof leagueMetrics)[number];

/** The columns that the table can be sorted by. */
const sortable: Record<string, Metric> = {
  Visibility: "visibility",
  "Share of voice": "shareOfVoice",
  "Mentioned first": "firstNamed",
  "Position 1 / 2–3 / 4+": "position",
  Cited: "citationRate",
};

type LeagueProps = { tracker: Tracker; panel: PanelBrand[]; rows: MetricRow[]; compared?: ComparedRow[] };

export function League({ tracker, panel, rows, compared }: LeagueProps) {
  const [by, setBy] = useState("Visibility");
  const rowOf = (brand: PanelBrand, metric: Metric) =>
    rows.find((row) => row.brand === brand.name && row.metric.startsWith(`${metric}@`));
  const value = (brand: PanelBrand) => {
    const row = rowOf(brand, sortable[by]);
    return row?.places?.first ?? row?.value ?? -1;
  };
  const sorted = panel.filter((brand) => rowOf(brand, "visibility")).sort((a, b) => value(b) - value(a));
  const seen = (brand: PanelBrand) => rowOf(brand, "visibility")!;
  const top = Math.max(0.1, ...sorted.map((brand) => seen(brand).interval?.rerun[1] ?? 0));
  const share = (metric: Metric) => (brand: PanelBrand) => (
    <>
      <Value of={rowOf(brand, metric)?.value} />
      <div class="faint">{range(rowOf(brand, metric)?.interval?.rerun)}</div>
    </>
  );
  return (
    <section class="card" aria-label="Brands">
      <h2>Brands</h2>
      <p class="faint">
        Based on {counted(sorted[0] && seen(sorted[0]).denominator, "answer")}. Bars show the expected range if re-run.
        Grey changes are within normal variation.
      </p>
      <CardTable
        label="Brands"
        testid="league"
        rows={sorted}
        rowKey={({ name }) => name}
        rowClass={({ look }) => (look === 0 ? "lead-row" : undefined)}
        sort={{ by, columns: Object.keys(sortable), choose: setBy }}
        cells={{
          Brand: (brand) => <BrandName brand={brand} />,
          "#Visibility": (brand) => (
            <>
              <a href={answersAddress(tracker.name, seen(brand).answersUrl, brand.name)}>
                <StrongValue of={seen(brand).value} />
              </a>
              <div class="faint">{range(seen(brand).interval?.rerun)}</div>
            </>
          ),
          "~Expected range": (brand) => <RangeBar row={seen(brand)} top={top} look={brand.look} />,
          "Change (points)": (brand) => (
            <Delta
              row={compared?.find((row) => row.brand === brand.name && row.target === seen(brand).target)}
              own={brand.own}
            />
          ),
          "#Share of voice": share("shareOfVoice"),
          "#Mentioned first": share("firstNamed"),
          "Position 1 / 2–3 / 4+": (brand) => <Places row={rowOf(brand, "position")} look={brand.look} />,
          "#Cited": share("citationRate"),
        }}
      />
    </section>
  );
}

function RangeBar({ row: { interval }, top, look }: { row: MetricRow; top: number; look: number }) {
  if (!interval) return <span class="rail" aria-hidden="true" />;
  const [from, to] = interval.rerun;
  const style = {
    left: `${(100 * from) / top}%`,
    width: `${(100 * (to - from)) / top}%`,
    background: brandColor(look),
  };
  return (
    <span class="rail" aria-hidden="true">
      <i style={style} />
    </span>
  );
}

/** The shares of a brand's positions in the answers that name it. */
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
