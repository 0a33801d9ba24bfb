// Whose names stand in sentences that cite a source.
import { call } from "../../api";
import { counted, Heads, number, useLoad } from "../../ui";
import { answersAddress, numberQuery } from "../address";
import { BrandName, Failed, Value } from "../pieces";
import type { TabProps } from "../pieces";

export function Support({ tracker, panel }: Pick<TabProps, "tracker" | "panel">) {
  const query = { ...numberQuery(tracker), metric: "support", by: "brand" };
  const { value, error, again } = useLoad(
    (signal) => call("GET /v1/trackers/{name}/metrics", { params: { name: tracker.name }, query, signal }),
    [tracker, query.from, query.to, query.filter],
  );
  const rows = panel.flatMap((brand) =>
    (value?.rows ?? []).filter((row) => row.brand === brand.name).map((row) => ({ brand, row })),
  );
  if (error) return <Failed error={error} again={again} />;
  if (!rows.length) return null;
  return (
    <section class="card" data-testid="support">
      <h2>Names with a source behind them</h2>
      <p class="faint">
        Of a brand's mentions, the share whose sentence cites a source. An answer shows which source backs which
        sentence.
      </p>
      <table class="row-cards" aria-label="Names with a source behind them">
        <Heads names={["Brand", "#Mentions", "#With a source", "#Share", "Answers"]} />
        <tbody>
          {rows.map(({ brand, row }) => (
            <tr key={brand.name + row.target}>
              <th scope="row">
                <BrandName brand={brand} />
                {row.target !== "*" && <span class="faint"> {row.target}</span>}
              </th>
              <td data-label="Mentions" class="number">
                {number(row.denominator)}
              </td>
              <td data-label="With a source" class="number">
                {number(row.numerator)}
              </td>
              <td data-label="Share" class="number">
                <strong>
                  <Value of={row.value} />
                </strong>
              </td>
              <td data-label="Answers">
                <a href={answersAddress(tracker.name, row.answersUrl)}>{counted(row.answers, "answer")}</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
