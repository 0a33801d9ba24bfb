// The trend of a tracker over its sweeps, and the same for each target.
import { useState } from "preact/hooks";
import type { ComparedRow, MetricReport, MetricRow, Sweep, Tracker } from "../api.gen";
import { route } from "../state";
import { useLoad } from "../ui";
import { addressOf, keptFilters, numberQuery, periodOf, setQuery } from "./address";
import { targetName } from "./filters";
import { havingBrands, sweepsWithin, useMetrics } from "./numbers";
import { Delta, Failed, leadOf, Skeleton, Value, type PanelBrand } from "./pieces";
import { Drawing, Trend, topOf, type Line, type Point } from "./trend";
import { dayWords, metrics, range, slotWords, type MetricName } from "./words";

/** How many sweeps a point of a line is the mean of. */
const lastSweeps = 7;
/** From so many days on, a point is a week: more sweeps than a line can show. */
const weeksFrom = 150;

/** How the lines of a period are asked for. */
function lineQuery(tracker: Tracker, by: string): { by: string; last?: number } {
  return periodOf(tracker).days >= weeksFrom ? { by: `week,${by}` } : { by: `sweep,${by}`, last: lastSweeps };
}

/** The sweeps of the period in the address. */
export function useSweeps(tracker: Tracker) {
  const { from, to } = periodOf(tracker);
  return useLoad((signal) => sweepsWithin(tracker.name, { from, to }, signal), [tracker, from, to]);
}

const gapReasons: Record<string, string> = { missed: "missed", skipped: "skipped", canceled: "canceled" };

/** The points of an axis: every slot keeps its place, also where nothing was asked. */
function pointsOf(tracker: Tracker, sweeps: Sweep[], report: MetricReport): Point[] {
  if (periodOf(tracker).days >= weeksFrom)
    return [...new Set(report.rows.map(({ week = "" }) => week))].sort().map((week) => ({ key: week, label: week }));
  const breaks = new Map(report.breaks.map(({ sweep, reason }) => [sweep, reason]));
  return sweeps.map((sweep) => ({
    key: sweep.id,
    label: /^\d/.test(sweep.slot) ? dayWords(sweep.slot) : slotWords(sweep),
    gap: gapReasons[sweep.state] && gapReasons[sweep.state] + (sweep.reason ? ` (${sweep.reason})` : ""),
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

/** The lines of brands over time, five at most. */
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
  return (
    <section class="card" aria-label="Trend">
      <div class="title-line">
        <h2>
          {metrics[metric].name} by {weekly ? "week" : "sweep"}
        </h2>
        <div class="segments" role="group" aria-label="Metric">
          {Object.entries(metrics).map(([name, { name: title }]) => (
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
      {!report.value && !report.error && <Skeleton lines={8} label="Loading the trend" />}
      {points.length > 0 && (
        <Trend
          caption={`${metrics[metric].name} by ${weekly ? "week" : "sweep"}`}
          points={points}
          lines={drawn.map((brand) => lineOf(brand, report.value))}
          about={
            weekly
              ? "Line: a week's mean. Band: where it would be if asked again."
              : `Dot: one sweep of ${lead?.name}. Line: mean of the last ${lastSweeps} sweeps. ` +
                "Band: where the line would be if asked again."
          }
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

/** The lead brand on each target, all on one scale. */
export function Targets({ tracker, brand, metric, compared, sweeps }: TargetsProps) {
  const names = [...new Set((tracker.definition?.targets ?? []).map(targetName))];
  const { filter, ...rest } = numberQuery(tracker);
  const few =
    names.length > shownTargets
      ? names
          .slice(0, shownTargets)
          .map((name) => `target:${name}`)
          .join(",")
      : undefined;
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
        All on one scale, 0 to {Math.round(100 * top)} %.
        {names.length > rows.length &&
          totals.value &&
          ` ${rows.length} of ${names.length} targets; choose others in the filters.`}
      </p>
      <Failed
        error={totals.error ?? lines.error}
        again={() => {
          totals.again();
          lines.again();
        }}
        stale={!!totals.value}
      />
      {!totals.value && !totals.error && <Skeleton label="Loading the targets" />}
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
                {row.target}
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
