// Credits by day, and the latency and success rate of the platforms.
import { useMemo, useState } from "preact/hooks";
import { call } from "../api";
import type { DayUsage, HourStats, Provider } from "earshot";
import { choices } from "../openapi";
import { shapes, type Chart, type Line } from "../plot/chart";
import { Plot } from "../plot/plot";
import { useShown } from "../plot/shown";
import { calm, useLive } from "../tasks/live";
import { span } from "../tasks/pieces";
import { productName } from "../names";
import { dateText, dayLength, timeText, utcDay, When } from "../time";
import { Table, type Column } from "../table";
import { counted, Empty, number, percent, Problem, Spinner, useLoad } from "../ui";

const ranges = [7, 30, 90];

/** Returns the last days up to today, in UTC like the API. */
const lastDays = (count: number) =>
  Array.from({ length: count }, (_, i) => utcDay(Date.now() - (count - 1 - i) * dayLength));

export function Credits() {
  const [range, setRange] = useState(30);
  const known = useProviders();
  const { value, error } = useLive(
    async (signal) => {
      const days = lastDays(range);
      const { usage } = await call("GET /v1/usage", { query: { from: days[0], to: days[range - 1] }, signal });
      return { days, usage };
    },
    [range],
    calm,
  );
  return (
    <section class="card" aria-labelledby="credits-head">
      <div class="usage-head">
        <h2 id="credits-head">Credits by day</h2>
        <div class="row" role="group" aria-label="Days">
          {ranges.map((days) => (
            <button key={days} type="button" class="small" aria-pressed={days === range} onClick={() => setRange(days)}>
              {days} days
            </button>
          ))}
        </div>
      </div>
      <Problem error={error} />
      {!value && !error && <Spinner />}
      {value && <Spent days={value.days} usage={value.usage} known={known} />}
    </section>
  );
}

function Spent({ days, usage, known }: { days: string[]; usage: DayUsage[]; known: Provider[] }) {
  const lines = useMemo(
    () =>
      byProvider(
        usage,
        known,
        days,
        ({ date }) => date,
        ({ creditsCharged }) => creditsCharged,
        0,
      ),
    [usage, known, days],
  );
  const total = (name: "creditsCharged" | "completed" | "failed") => usage.reduce((sum, row) => sum + row[name], 0);
  if (!usage.length) {
    return (
      <Empty title="No requests in this period">
        <p>
          Try the <a href="#/playground">playground</a>, or choose a longer period.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <p class="usage-total">
        <strong data-testid="usage-total">{number(total("creditsCharged"))}</strong> credits for{" "}
        {counted(total("completed"), "answer")} <span class="faint">and {counted(total("failed"), "failure")}</span>
      </p>
      <PlatformPlots
        unit="Day"
        points={days.map((date) => ({ key: date, label: dateText(date) }))}
        plots={{ "Credits charged by day (UTC) and platform": { lines, show: number, least: 1, stacked: true } }}
      />
    </>
  );
}

const hours = 24;
const hourLength = 3_600_000;

const lastHours = () => {
  const now = Math.floor(Date.now() / hourLength) * hourLength;
  return Array.from({ length: hours }, (_, i) => now - (hours - 1 - i) * hourLength);
};

/** With fewer hours than this, a table is clearer than a chart. */
const hoursToPlot = 3;

export function Speed() {
  const known = useProviders();
  const { value, error } = useLive((signal) => call("GET /v1/stats", { query: { hours }, signal }), [], calm);
  const [chosen, choose] = useState<"Table" | "Charts">();
  const view = chosen ?? (new Set(value?.hours.map((row) => row.at)).size < hoursToPlot ? "Table" : "Charts");
  return (
    <section class="card" aria-labelledby="speed-head">
      <div class="usage-head">
        <h2 id="speed-head">Latency and success</h2>
        {!!value?.hours.length && (
          <div class="row" role="group" aria-label="View">
            {(["Table", "Charts"] as const).map((name) => (
              <button
                key={name}
                type="button"
                class="small"
                aria-pressed={name === view}
                onClick={() => choose(name)}
                data-testid={`speed-${name.toLowerCase()}`}>
                {name}
              </button>
            ))}
          </div>
        )}
      </div>
      <Problem error={error} />
      {!value && !error && <Spinner />}
      {value &&
        (value.hours.length ? (
          view === "Table" ? (
            <Hours rows={value.hours} />
          ) : (
            <Plots rows={value.hours} known={known} />
          )
        ) : (
          <Empty title="No requests in the last 24 hours" />
        ))}
    </section>
  );
}

const success = ({ jobs, failed }: HourStats) => (jobs ? 1 - failed / jobs : null);

const hourColumns: Column<HourStats>[] = [
  { name: "Hour", value: (row) => row.at, show: (row) => <When at={row.at} brief /> },
  { name: "Platform", value: (row) => productName(row.provider) },
  { name: "Requests", value: (row) => row.jobs, numeric: true },
  { name: "Median", value: (row) => row.p50Ms, show: (row) => span(row.p50Ms), numeric: true },
  { name: "95th percentile", value: (row) => row.p95Ms, show: (row) => span(row.p95Ms), numeric: true },
  { name: "Success rate", value: success, show: (row) => percent(success(row) ?? 0), numeric: true },
];

function Hours({ rows }: { rows: HourStats[] }) {
  const newest = [...rows].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <div class="usage-tall">
      <Table
        rows={newest}
        columns={hourColumns}
        label="Latency and success by hour"
        rowKey={(row) => `${row.at} ${row.provider}`}
      />
    </div>
  );
}

function Plots({ rows, known }: { rows: HourStats[]; known: Provider[] }) {
  const times = useMemo(lastHours, [rows]);
  const plots = useMemo(() => {
    const of = (value: (row: HourStats) => number | null) =>
      byProvider(rows, known, times.map(String), (row) => String(Date.parse(row.at)), value, null);
    return {
      "Median latency by hour": { lines: of((row) => row.p50Ms), show: span, least: 1 },
      "95th percentile latency by hour": { lines: of((row) => row.p95Ms), show: span, least: 1 },
      "Success rate by hour": { lines: of(success), show: percent, least: 0.01, highest: 1 },
    };
  }, [times, known]);
  const points = times.map((at) => ({ key: String(at), label: timeText(at).replace(/.*, /, "") }));
  return <PlatformPlots unit="Hour" points={points} plots={plots} />;
}

type PlatformPlotsProps = { unit: string; points: Chart["points"]; plots: Record<string, Omit<Chart, "points">> };

/** Charts with a line for each platform. A platform is shown, hidden or isolated in all of them. */
function PlatformPlots({ unit, points, plots }: PlatformPlotsProps) {
  const [{ lines }] = Object.values(plots);
  const shown = useShown(lines.map(({ name }) => name));
  return (
    <div class="usage-plots">
      {Object.entries(plots).map(([caption, chart]) => (
        <div key={caption}>
          <h3>{caption}</h3>
          <Plot
            caption={caption}
            unit={unit}
            height={220}
            chart={{ ...chart, points, lines: chart.lines.filter(({ name }) => shown.names.includes(name)) }}
            shown={shown}
            others={chart.lines.filter(({ name }) => !shown.names.includes(name))}
          />
        </div>
      ))}
    </div>
  );
}

/** Returns the providers in the API's order, which sets their colors. */
const useProviders = (): Provider[] => useLoad(() => choices("Provider"), []).value ?? [];

/** How many colors plot.css has. */
const colors = 10;

/** Returns a line for each provider that has rows, with the same color in every chart. */
function byProvider<Row extends { provider: Provider }>(
  rows: Row[],
  known: Provider[],
  x: string[],
  at: (row: Row) => string,
  value: (row: Row) => number | null,
  none: number | null,
): Line[] {
  const present = new Set(rows.map((row) => row.provider));
  const order = [...new Set([...known, ...[...present].sort()])];
  const places = new Map(x.map((key, i) => [key, i]));
  return order
    .filter((name) => present.has(name))
    .map((name) => {
      const values = x.map((): number | null => none);
      for (const row of rows) {
        const place = places.get(at(row));
        if (row.provider === name && place !== undefined) values[place] = value(row);
      }
      const look = order.indexOf(name);
      return {
        name: productName(name),
        color: `var(--plot-${look % colors})`,
        shape: shapes[look % shapes.length],
        rows: values.map((one) => ({ value: one })),
      };
    });
}
