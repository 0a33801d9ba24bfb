// The trend of brands.
import { useMemo } from "preact/hooks";
import type { ComparedRow, MetricReport, Tracker } from "earshot";
import { aligned, type Chart, type Line } from "../plot/chart";
import { Plot } from "../plot/plot";
import { useShown } from "../plot/shown";
import { route } from "../state";
import { dateText, dayLength, utcDay } from "../time";
import { Button, counted, Loading, together } from "../ui";
import { addressOf, daysLater, numberQuery, periodOf, previousPeriod, setQuery, type Query } from "./address";
import { marked, shiftBefore, type Mark, type TimedPoint } from "./marks";
import { havingBrands, useAlerts, useMetrics } from "./numbers";
import { leadOf, type PanelBrand } from "./pieces";
import { alertMarks, breakMarks, isWeekly, lastSweeps, lineQuery, pointsOf, rowsAt, type useSweeps } from "./points";
import { lineLook, shareAxis } from "./trend";
import { metrics, percent, range, type MetricName } from "./words";

/** How many brands a chart shows at once. */
const mostLines = 5;
/** How many days before a shift the period starts if a reader asks to see the shift. */
const daysBeforeShift = 14;

interface BrandTrendProps {
  tracker: Tracker;
  panel: PanelBrand[];
  metric: MetricName;
  /** The target of the headline. */
  target: string;
  compared?: ComparedRow[];
  sweeps: ReturnType<typeof useSweeps>;
}

/** The trend of up to five brands. The lead brand, or else the first one, is compared with the previous period. */
export function BrandTrend({ tracker, panel, metric, target, compared, sweeps }: BrandTrendProps) {
  const lead = leadOf(panel);
  const shown = useShown([lead, ...panel.filter((b) => b !== lead)].slice(0, mostLines).map(({ name }) => name));
  const drawn = panel.filter(({ name }) => shown.names.includes(name));
  const focus = drawn.includes(lead) ? lead : drawn[0];
  const period = periodOf(tracker);
  const previous = previousPeriod(period);
  const weekly = isWeekly(tracker);
  const query = { ...numberQuery(tracker), metric };
  const lines = lineQuery(tracker, "brand");
  // While a brand is isolated, the others stay loaded.
  const loaded = panel.filter(({ name }) => (shown.rest ?? shown.names).includes(name));
  const report = useMetrics(tracker.name, { ...query, ...lines, having: havingBrands(loaded) }, tracker);
  const ofFocus = { ...query, having: havingBrands([focus]) };
  const singles = useMetrics(tracker.name, weekly ? undefined : { ...ofFocus, by: "sweep,brand" }, tracker);
  const earlier = useMetrics(tracker.name, { ...ofFocus, ...lines, ...previous }, tracker);
  const alerts = useAlerts(tracker.name, { limit: 100 });
  const chart = useMemo((): TimedChart | undefined => {
    if (!report.value || !sweeps.value) return undefined;
    const lineOf = (brand: PanelBrand, points: TimedPoint[], { rows }: MetricReport): Line => {
      const own = rows.filter((row) => row.brand === brand.name && row.target === target);
      return { ...lineLook(brand), rows: rowsAt(points, own) };
    };
    const marks = [
      ...breakMarks(report.value, !weekly),
      ...alertMarks(tracker.name, alerts.value?.alerts ?? [], sweeps.value, metric, shown.names),
    ];
    const points = marked(pointsOf(sweeps.value, report.value, period), marks);
    const change = compared?.find((row) => row.brand === focus.name && row.target === target);
    const times = (of: TimedPoint[]) => of.map((point) => point.times[0]);
    const then = earlier.value ? pointsOf(sweeps.value, earlier.value, previous) : [];
    const earlierRows = earlier.value ? lineOf(focus, then, earlier.value).rows : [];
    const places = aligned(times(points), times(then), period.days * dayLength);
    const rowsBefore = places.map((i) => earlierRows[i ?? -1]);
    return {
      points,
      lines: drawn.map((brand) => lineOf(brand, points, report.value!)),
      dots: singles.value && lineOf(focus, points, singles.value),
      before: rowsBefore.some((row) => row?.value != null)
        ? {
            ...lineLook(focus),
            shape: "—",
            name: `${focus.name}, ${counted(period.days, "day")} before`,
            rows: rowsBefore,
          }
        : undefined,
      levels: levelsOf(change, lineLook(focus).color),
      shift: shiftBefore(points, marks, focus.name, Date.parse(previous.from)),
      ...shareAxis,
    };
  }, [
    report.value,
    sweeps.value,
    singles.value,
    earlier.value,
    alerts.value,
    compared,
    shown.names.join("\n"),
    metric,
    period.from,
    period.to,
  ]);
  const title = `${metrics[metric]} by ${weekly ? "week" : "sweep"}`;
  const about = weekly
    ? "Line: weekly average. Band: expected range if re-run."
    : `Dots: single sweeps of ${focus.name}. Line: average of ${lastSweeps} sweeps. Band: expected range if re-run.`;
  const others = panel.filter((brand) => !drawn.includes(brand)).slice(0, 20);
  return (
    <section class="card" aria-label="Trend">
      <div class="title-line">
        <h2>{title}</h2>
        <div class="segments" role="group" aria-label="Metric">
          {Object.entries(metrics).map(([name, text]) => (
            <Button
              key={name}
              text={text}
              aria-pressed={name === metric}
              onClick={() => setQuery({ metric: name === "visibility" ? "" : name })}
            />
          ))}
        </div>
      </div>
      <Loading of={together(report, sweeps)} lines={8} />
      {!!chart?.points.length && (
        <Plot
          caption={`${title} of ${tracker.name}`}
          about={about}
          chart={chart}
          unit={weekly ? "Week" : "Sweep"}
          say={percent}
          range={range}
          shown={shown}
          others={others.map(lineLook)}
          most={mostLines}
          address={(at, line) => answersOf(tracker.name, chart.points[at], weekly, line?.name)}
          zoom={(first, last) => zoomTo(chart.points[first].days[0], chart.points[last].days[1])}>
          <p class="plot-ways">
            {chart.shift && <EarlierShift shift={chart.shift} to={period.to} />}
            {period.chosen && <Button text="Zoom out" class="small" onClick={zoomOut} data-testid="zoom-out" />}
          </p>
        </Plot>
      )}
    </section>
  );
}

/** The chart of a trend, with the last shift before it. */
type TimedChart = Chart & { points: TimedPoint[]; shift?: Mark };

/** Returns the averages of both periods, as the comparison has them. */
function levelsOf(row: ComparedRow | undefined, color: string): Chart["levels"] {
  if (row?.before == null || row.after == null || row.verdict === "tooEarly") return undefined;
  return [
    { value: row.before, text: `before ${percent(row.before)}`, color: "var(--soft)" },
    { value: row.after, text: `now ${percent(row.after)}`, color },
  ];
}

/** Returns the answers of a sweep or week; with a brand, only the answers that name it. */
const answersOf = (tracker: string, { key, days: [from, to] }: TimedPoint, weekly: boolean, brand?: string) =>
  addressOf(tracker, "answers", {
    promptId: route.value.query.prompt,
    brand,
    ...(weekly ? { days: "", from, to } : { sweep: key }),
  });

/** Says that the brand shifted before the first point, with a button that shows the shift. */
function EarlierShift({ shift: { at, text }, to }: { shift: Mark; to: string }) {
  const show = () => zoomTo(daysLater(utcDay(at), -daysBeforeShift), to);
  return <Button text={`◀ Shift on ${dateText(at)}, before this period`} class="small" title={text} onClick={show} />;
}

/** The periods from before each zoom, so that a reader can return to them. */
const zoomed: { from: string; to: string; before: Query }[] = [];

function zoomTo(from: string, to: string) {
  const { query } = route.value;
  zoomed.push({ from, to, before: { days: query.days, from: query.from, to: query.to } });
  setQuery({ days: "", from, to });
}

/** Shows the period from before the last zoom; without one, the usual period. */
function zoomOut() {
  const { query } = route.value;
  const last = zoomed.findLast(({ from, to }) => from === query.from && to === query.to);
  setQuery(last?.before ?? { days: "", from: "", to: "" });
}
