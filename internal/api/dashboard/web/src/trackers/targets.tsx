// The trend of a brand on each target, all on the same scale.
import type { ComparedRow, Tracker } from "earshot";
import { highestOf, type Line } from "../plot/chart";
import { StillPlot } from "../plot/drawing";
import { targetLabel } from "../names";
import { route } from "../state";
import { Loading, together } from "../ui";
import { addressOf, numberQuery, periodOf } from "./address";
import { targetName } from "./filters";
import { marked } from "./marks";
import { havingBrands, useMetrics } from "./numbers";
import { Delta, Value, type PanelBrand } from "./pieces";
import { breakMarks, isWeekly, lineQuery, pointsOf, rowsAt, type useSweeps } from "./points";
import { lineLook, shareAxis } from "./trend";
import { range, type MetricName } from "./words";

const shownTargets = 12;

interface TargetsProps {
  tracker: Tracker;
  brand: PanelBrand;
  metric: MetricName;
  compared?: ComparedRow[];
  sweeps: ReturnType<typeof useSweeps>;
}

export function Targets({ tracker, brand, metric, compared, sweeps }: TargetsProps) {
  const names = [...new Set((tracker.definition?.targets ?? []).map(targetName))];
  const { filter, ...rest } = numberQuery(tracker);
  const first = names.slice(0, shownTargets).map((name) => `target:${name}`);
  const few = names.length > shownTargets ? first.join(",") : undefined;
  const query = { ...rest, metric, having: havingBrands([brand]), filter: filter ?? few };
  const totals = useMetrics(tracker.name, { ...query, by: "target" }, tracker);
  const lines = useMetrics(tracker.name, { ...query, ...lineQuery(tracker, "target") }, tracker);
  const points = lines.value && sweeps.value ? pointsOf(sweeps.value, lines.value, periodOf(tracker)) : [];
  const rows = totals.value?.rows ?? [];
  const all = rows.map(
    (row): Line => ({
      ...lineLook(brand),
      rows: rowsAt(
        points,
        (lines.value?.rows ?? []).filter(({ target }) => target === row.target),
      ),
    }),
  );
  const highest = highestOf(all);
  if (totals.value && rows.length < 2) return null;
  return (
    <section class="card" aria-label="Targets">
      <h2>
        <bdi>{brand.name}</bdi> by target
      </h2>
      <p class="faint">
        All charts use the same scale.
        {names.length > rows.length &&
          totals.value &&
          ` Showing ${rows.length} of ${names.length} targets. Use the filters to see others.`}
      </p>
      <Loading of={together(totals, lines)} lines={4} />
      <ul class="multiples">
        {rows.map((row, i) => (
          <li key={row.target}>
            <h3>
              <a
                href={addressOf(tracker.name, route.value.query.prompt ? "prompts" : "overview", {
                  prompt: route.value.query.prompt,
                  metric: metric === "visibility" ? "" : metric,
                  target: row.target.split("@")[0],
                })}>
                {targetLabel(row.target)}
              </a>
            </h3>
            <p>
              <strong class="middle">
                <Value of={row.value} />
              </strong>{" "}
              <span class="faint">{range(row.interval?.rerun)}</span>
            </p>
            {lines.value && (
              <StillPlot
                height={130}
                chart={{
                  points: marked(points, breakMarks(lines.value, !isWeekly(tracker), row.target)),
                  lines: [all[i]],
                  highest,
                  ...shareAxis,
                }}
              />
            )}
            <Delta row={compared?.find((c) => c.target === row.target && c.brand === brand.name)} own={brand.own} />
          </li>
        ))}
      </ul>
    </section>
  );
}
