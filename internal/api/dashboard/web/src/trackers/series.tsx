// The trends of a tracker: by brand, and by target.
import { useState } from "preact/hooks";
import type { ComparedRow, MetricReport, MetricRow, Sweep, Tracker } from "../api.gen";
import { route } from "../state";
import { targetLabel } from "../names";
import { dateText } from "../time";
import { Failed, Skeleton, useLoad } from "../ui";
import { addressOf, keptFilters, numberQuery, periodOf, setQuery } from "./address";
import { targetName } from "./filters";
import { havingBrands, sweepsWithin, useMetrics } from "./numbers";
import { Delta, leadOf, Value, type PanelBrand } from "./pieces";
import { Drawing, Trend, topOf, type Line, type Point } from "./trend";
import { metrics, range, slotWords, type MetricName } from "./words";

/** The number of sweeps that each point of a line averages. */
const lastSweeps = 7;
/** Periods of at least this many days have one point per week, because a line cannot show that many sweeps. */
const weeksFrom = 150;

/** Returns the grouping of a trend: by week for long periods, otherwise by sweep. */
function lineQuery(tracker: Tracker, by: string): { by: string; last?: number } {
  return periodOf(tracker).days >= weeksFrom ? { by: `week,${by}` } : { by: `sweep,${by}`, last: lastSweeps };
}

/** Reads the sweeps of the period in the address. */
export function useSweeps(tracker: Tracker) {
  const { from, to } = periodOf(tracker);
  return useLoad((signal) => sweepsWithin(tracker.name, { from, to }, signal), [tracker, from, to]);
}

const gapStates = ["missed", "skipped", "canceled"];

/** Returns the points of the axis. A sweep that did not run keeps its place. */
function pointsOf(tracker: Tracker, sweeps: Sweep[], report: MetricReport): Point[] {
  if (periodOf(tracker).days >= weeksFrom)
    return [...new Set(report.rows.map(({ week = "" }) => week))].sort().map((week) => ({ key: week, label: week }));
  const breaks = new Map(report.breaks.map(({ sweep, reason }) => [sweep, reason]));
  return sweeps.map((sweep) => ({
    key: sweep.id,
    label: /^\d/.test(sweep.slot) ? dateText(sweep.slot.slice(0, 10)) : slotWords(sweep),
    gap: gapStates.includes(sweep.state) ? sweep.state + (sweep.reason ? ` (${sweep.reason})` : "") : undefined,
    mark: breaks.get(sweep.id),
    href: addressOf(tracker.name, "answers", { ...keptFilters(), promptId: route.value.query.prompt, sweep: sweep.id }),
  }));
}

const rowsAt = (points: Point[], rows: MetricRow[]) => {
  const found = new Map(rows.map((row) => [row.sweep ?? row.week, row]));
  return points.map(({ key }) => found.get(key));
};

interface BrandTrendProps {
  tracker: Tracker;
  panel: PanelBrand[];
  metric: MetricName;
  sweeps: ReturnType<typeof useSweeps>;
}

/** The trend of up to five brands. */
export function BrandTrend({ tracker, panel, metric, sweeps }: BrandTrendProps) {
  const lead = leadOf(panel);
  const [shown, setShown] = useState(() =>
    [lead, ...panel.filter((b) => b !== lead)].slice(0, 5).map(({ name }) => name),
  );
  const drawn = panel.filter(({ name }) => shown.includes(name));
  const query = { ...numberQuery(tracker), metric };
  const report = useMetrics(
    tracker.name,
    drawn.length ? { ...query, ...lineQuery(tracker, "brand"), having: havingBrands(drawn) } : undefined,
    tracker,
  );
  const singles = useMetrics(
    tracker.name,
    lead && shown.includes(lead.name) && periodOf(tracker).days < weeksFrom
      ? { ...query, by: "sweep,brand", having: havingBrands([lead]) }
      : undefined,
    tracker,
  );
  const toggle = ({ name }: PanelBrand) =>
    setShown(shown.includes(name) ? (shown.length > 1 ? shown.filter((n) => n !== name) : shown) : [...shown, name]);
  const points = report.value && sweeps.value ? pointsOf(tracker, sweeps.value, report.value) : [];
  const lineOf = (brand: PanelBrand, of?: MetricReport): Line => ({
    brand,
    rows: rowsAt(
      points,
      (of?.rows ?? []).filter((row) => row.brand === brand.name),
    ),
  });
  const weekly = periodOf(tracker).days >= weeksFrom;
  const about = weekly
    ? "Line: weekly average. Band: expected range if re-run."
    : `Dots: single sweeps of ${lead?.name}. Line: average of ${lastSweeps} sweeps. Band: expected range if re-run.`;
  return (
    <section class="card" aria-label="Trend">
      <div class="title-line">
        <h2>
          {metrics[metric]} by {weekly ? "week" : "sweep"}
        </h2>
        <div class="segments" role="group" aria-label="Metric">
          {Object.entries(metrics).map(([name, title]) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === metric}
              onClick={() => setQuery({ metric: name === "visibility" ? "" : name })}>
              {title}
            </button>
          ))}
        </div>
      </div>
      <Failed
        error={report.error ?? sweeps.error}
        again={() => {
          report.again();
          sweeps.again();
        }}
        stale={!!report.value}
      />
      {!report.value && !report.error && <Skeleton lines={8} />}
      {points.length > 0 && (
        <Trend
          caption={`${metrics[metric]} by ${weekly ? "week" : "sweep"}`}
          points={points}
          lines={drawn.map((brand) => lineOf(brand, report.value))}
          about={about}
          dots={lead && singles.value ? lineOf(lead, singles.value) : undefined}
          others={panel.filter(({ name }) => !shown.includes(name)).slice(0, 20)}
          onToggle={toggle}
        />
      )}
    </section>
  );
}

const shownTargets = 12;

interface TargetsProps {
  tracker: Tracker;
  brand: PanelBrand;
  metric: MetricName;
  compared?: ComparedRow[];
  sweeps: ReturnType<typeof useSweeps>;
}

/** The trend of the lead brand on each target, on the same scale. */
export function Targets({ tracker, brand, metric, compared, sweeps }: TargetsProps) {
  const names = [...new Set((tracker.definition?.targets ?? []).map(targetName))];
  const { filter, ...rest } = numberQuery(tracker);
  const first = names.slice(0, shownTargets).map((name) => `target:${name}`);
  const few = names.length > shownTargets ? first.join(",") : undefined;
  const query = { ...rest, metric, having: havingBrands([brand]), filter: filter ?? few };
  const totals = useMetrics(tracker.name, { ...query, by: "target" }, tracker);
  const lines = useMetrics(tracker.name, { ...query, ...lineQuery(tracker, "target") }, tracker);
  const points = lines.value && sweeps.value ? pointsOf(tracker, sweeps.value, lines.value) : [];
  const rows = totals.value?.rows ?? [];
  const all = rows.map(
    (row): Line => ({
      brand,
      rows: rowsAt(
        points,
        (lines.value?.rows ?? []).filter(({ target }) => target === row.target),
      ),
    }),
  );
  const top = topOf(all);
  if (totals.value && rows.length < 2) return null;
  return (
    <section class="card" aria-label="Targets">
      <h2>{brand.name} by target</h2>
      <p class="faint">
        All charts use the same scale, 0–{Math.round(100 * top)} %.
        {names.length > rows.length &&
          totals.value &&
          ` Showing ${rows.length} of ${names.length} targets. Use the filters to see others.`}
      </p>
      <Failed
        error={totals.error ?? lines.error}
        again={() => {
          totals.again();
          lines.again();
        }}
        stale={!!totals.value}
      />
      {!totals.value && !totals.error && <Skeleton />}
      <ul class="multiples">
        {rows.map((row, i) => (
          <li key={row.target}>
            <h3>
              <a
                href={addressOf(tracker.name, route.value.query.prompt ? "prompts" : "overview", {
                  prompt: route.value.query.prompt,
                  ...keptFilters(),
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
            <div class="small-plot">
              <Drawing points={points} lines={[all[i]]} top={top} />
            </div>
            <Delta row={compared?.find((c) => c.target === row.target && c.brand === brand.name)} own={brand.own} />
          </li>
        ))}
      </ul>
    </section>
  );
}
