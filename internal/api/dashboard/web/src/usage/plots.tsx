// Credits by day, and the latency and success rate of the platforms.
import { useMemo, useState } from "preact/hooks";
import { call } from "../api";
import type { DayUsage, HourStats, Provider } from "../api.gen";
import { choices } from "../openapi";
import { Legend, Plot, type PlotProps, type Series } from "../plot";
import { calm, useLive } from "../tasks/live";
import { productName } from "../names";
import { dateText, timeText, When } from "../time";
import { Table, type Column } from "../table";
import { counted, Empty, number, percent, Problem, Spinner, useLoad } from "../ui";

const ranges = [7, 30, 90];
const dayLength = 86_400_000;
const day = (time: number) => new Date(time).toISOString().slice(0, 10);
const dayLabel = (x: number) => dateText(day(x * 1000));

/** Returns the last days up to today, in UTC like the API. */
const lastDays = (count: number) =>
  Array.from({ length: count }, (_, i) => day(Date.now() - (count - 1 - i) * dayLength));

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
  const x = useMemo(() => days.map((date) => Date.parse(date) / 1000), [days]);
  const series = useMemo(
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
      <Plot
        caption="Credits charged"
        note="by day (UTC) and platform"
        x={x}
        series={series}
        xName="Day"
        xLabel={dayLabel}
        yLabel={number}
        stacked
      />
    </>
  );
}

const hours = 24;
const hourLength = 3_600_000;
const hourLabel = (x: number) => timeText(x * 1000).replace(/.*, /, "");
const time = (ms: number) => (ms < 1000 ? `${number(Math.round(ms))} ms` : `${number(Math.round(ms / 100) / 10)} s`);

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

const timeOr = (ms: number | null) => (ms === null ? "–" : time(ms));
const success = ({ jobs, failed }: HourStats) => (jobs ? 1 - failed / jobs : null);

const hourColumns: Column<HourStats>[] = [
  { name: "Hour", value: (row) => row.at, show: (row) => <When at={row.at} brief /> },
  { name: "Platform", value: (row) => productName(row.provider) },
  { name: "Requests", value: (row) => row.jobs, numeric: true },
  { name: "Median", value: (row) => row.p50Ms, show: (row) => timeOr(row.p50Ms), numeric: true },
  { name: "95th percentile", value: (row) => row.p95Ms, show: (row) => timeOr(row.p95Ms), numeric: true },
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
  const [off, setOff] = useState<string[]>([]);
  const plots = useMemo(() => {
    const times = lastHours();
    const keys = times.map(String);
    const of = (value: (row: HourStats) => number | null) =>
      byProvider(rows, known, keys, (row) => String(Date.parse(row.at)), value, null);
    return {
      x: times.map((time) => time / 1000),
      median: of((row) => row.p50Ms),
      slow: of((row) => row.p95Ms),
      success: of(success),
    };
  }, [rows, known]);
  const common: Pick<PlotProps, "x" | "xName" | "xLabel" | "off"> = {
    x: plots.x,
    xName: "Hour",
    xLabel: hourLabel,
    off,
  };
  return (
    <>
      <Legend label="Platforms" series={plots.median} off={off} setOff={setOff} />
      <div class="usage-plots">
        <Plot {...common} caption="Median latency" note="by hour" series={plots.median} yLabel={time} />
        <Plot {...common} caption="95th percentile latency" note="by hour" series={plots.slow} yLabel={time} />
        <Plot {...common} caption="Success rate" note="by hour" series={plots.success} yLabel={percent} top={1} />
      </div>
    </>
  );
}

/** Returns the providers in the API's order, which sets their colors. */
const useProviders = (): Provider[] => useLoad(() => choices("Provider"), []).value ?? [];

/** Returns a series for each provider that has rows, with the same color in every chart. */
function byProvider<Row extends { provider: Provider }>(
  rows: Row[],
  known: Provider[],
  x: string[],
  at: (row: Row) => string,
  value: (row: Row) => number | null,
  none: number | null,
): Series[] {
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
      return { name: productName(name), values, color: order.indexOf(name) };
    });
}
