// What answers contain besides their text: searches, sources, products, ads and AI overviews.
import { useState } from "preact/hooks";
import type { MetricRow } from "earshot";
import { CardTable } from "../table";
import { Loading, number, Select } from "../ui";
import { answersAddress, numberQuery } from "./address";
import { useMetrics } from "./numbers";
import { Value, type PanelBrand, type TabProps } from "./pieces";
import { absentReasons, besidesMetrics, percent, range } from "./words";

/** The only metric that is a mean instead of a share. */
const mean = "fanout@m2";

type BesidesProps = Pick<TabProps, "tracker"> & { brands: PanelBrand[]; target: string };

/** The metrics m2 of a brand; nothing if no brand has a value. */
export function BesidesTheText({ tracker, brands, target }: BesidesProps) {
  const [brand, setBrand] = useState(brands[0].name);
  const names = Object.keys(besidesMetrics);
  // having would leave out the metrics that are not about a brand.
  const query = { ...numberQuery(tracker), metric: names.join(","), by: "brand" };
  const loaded = useMetrics(tracker.name, query, tracker);
  const found = loaded.value?.rows.filter((row) => row.target === target) ?? [];
  if (loaded.error && !loaded.value) return <Loading of={loaded} />;
  // With a note, the value equals the visibility.
  if (found.every(({ value, note }) => value == null || note)) return null;
  const rows = names.flatMap((name) =>
    found.filter((row) => row.metric === name && (row.brand ?? brand) === brand).slice(0, 1),
  );
  return (
    <section class="card" aria-label="Besides the text">
      <div class="title-line">
        <h2>Besides the text</h2>
        <span class="filters">
          <Select aria-label="Brand" value={brand} options={brands.map(({ name }) => name)} onChoose={setBrand} />
        </span>
      </div>
      <p class="faint">
        Searches, sources, products, ads and AI overviews. Answers that do not report them are left out.
      </p>
      <CardTable
        label="Besides the text"
        testid="besides"
        rows={rows}
        rowKey={({ metric }) => metric}
        cells={{
          Metric: ({ metric }) => besidesMetrics[metric],
          "#Value": (row) => <MetricValue row={row} />,
          "#Expected range": ({ metric, interval }) =>
            metric === mean ? (interval?.rerun.map(decimal).join("–") ?? "–") : range(interval?.rerun),
          "Based on": (row) => <BasedOn tracker={tracker.name} row={row} />,
        }}
      />
    </section>
  );
}

const decimal = (value: number | null | undefined) => value?.toFixed(2) ?? "–";

/** The value of a metric, or the reason why it has none. */
function MetricValue({ row: { metric, value, reason } }: { row: MetricRow }) {
  if (value == null) return <span class="faint">{reason ? absentReasons[reason] : "no data"}</span>;
  return (
    <strong>
      <Value of={value} show={metric === mean ? decimal : percent} />
    </strong>
  );
}

/** The counts of a metric, with the answers that are left out. */
function BasedOn({ tracker, row }: { tracker: string; row: MetricRow }) {
  const { numerator, denominator, notRequested, notOffered, note } = row;
  return (
    <>
      <a href={answersAddress(tracker, row.answersUrl)}>
        {number(numerator)} {row.metric === mean ? "in" : "of"} {number(denominator)}
      </a>
      <span class="faint">
        {!!notRequested && ` · ${number(notRequested)} not requested`}
        {!!notOffered && ` · ${number(notOffered)} not offered`}
        {note && " · sponsored text not marked"}
      </span>
    </>
  );
}
