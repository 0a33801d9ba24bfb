// How many mentions of each brand have a source.
import { CardTable } from "../../table";
import { counted, Failed, number } from "../../ui";
import { answersAddress, numberQuery } from "../address";
import { useMetrics } from "../numbers";
import { BrandOf, StrongValue, type TabProps } from "../pieces";

export function Support({ tracker, panel }: Pick<TabProps, "tracker" | "panel">) {
  const query = { ...numberQuery(tracker), metric: "support", by: "brand" };
  const { value, error, again } = useMetrics(tracker.name, query, tracker);
  const rows = panel.flatMap((brand) =>
    (value?.rows ?? []).filter((row) => row.brand === brand.name).map((row) => ({ brand, row })),
  );
  if (error) return <Failed error={error} again={again} />;
  if (!rows.length) return null;
  return (
    <section class="card" data-testid="support">
      <h2>Mentions with a source</h2>
      <p class="faint">Share of a brand's mentions whose sentence cites a source</p>
      <CardTable
        label="Mentions with a source"
        rows={rows}
        rowKey={({ brand, row }) => brand.name + row.target}
        cells={{
          Brand: ({ brand, row }) => <BrandOf brand={brand} target={row.target} />,
          "#Mentions": ({ row }) => number(row.denominator),
          "#With a source": ({ row }) => number(row.numerator),
          "#Share": ({ row }) => <StrongValue of={row.value} />,
          Answers: ({ row }) => (
            <a href={answersAddress(tracker.name, row.answersUrl)}>{counted(row.answers, "answer")}</a>
          ),
        }}
      />
    </section>
  );
}
