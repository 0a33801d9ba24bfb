// How fast and how reliable the providers were in the last hours.
import { useMemo } from "preact/hooks";
import { get } from "../api";
import { Plot, type PlotProps } from "../plot";
import { Empty, number, Problem, Spinner } from "../ui";
import { useCalm } from "./calm";
import { byProvider, useProviders } from "./providers";

interface Hour { at: string; provider: string; jobs: number; failed: number; p50Ms: number | null; p95Ms: number | null }

const hours = 24;
const hourLength = 3_600_000;
const hourLabel = (x: number) => new Date(x * 1000).toLocaleTimeString(undefined, { hour: "numeric" });
const time = (ms: number) => (ms < 1000 ? `${number(Math.round(ms))} ms` : `${number(Math.round(ms / 100) / 10)} s`);
const percent = (share: number) => share.toLocaleString(undefined, { style: "percent", maximumFractionDigits: 1 });

const lastHours = () => {
  const now = Math.floor(Date.now() / hourLength) * hourLength;
  return Array.from({ length: hours }, (_, i) => now - (hours - 1 - i) * hourLength);
};

export function Speed() {
  const known = useProviders();
  const { value, error } = useCalm((signal) => get<{ hours: Hour[] }>(`v1/stats?hours=${hours}`, { signal }), []);
  return (
    <section class="card" aria-labelledby="speed-head">
      <h2 id="speed-head">Latency and success</h2>
      <Problem error={error} />
      {!value && !error && <Spinner />}
      {value && (value.hours.length ? <Plots rows={value.hours} known={known} /> : (
        <Empty title="No job ended in the last 24 hours"><p>Ask something in the <a href="#/playground">playground</a>.</p></Empty>
      ))}
    </section>
  );
}

function Plots({ rows, known }: { rows: Hour[]; known: string[] }) {
  const plots = useMemo(() => {
    const times = lastHours();
    const keys = times.map(String);
    const of = (value: (row: Hour) => number | null) => byProvider(rows, known, keys, (row) => String(Date.parse(row.at)), value, null);
    return {
      x: times.map((time) => time / 1000),
      median: of((row) => row.p50Ms), slow: of((row) => row.p95Ms), success: of((row) => (row.jobs ? 1 - row.failed / row.jobs : null)),
    };
  }, [rows, known]);
  const common: Pick<PlotProps, "x" | "xName" | "xLabel"> = { x: plots.x, xName: "Hour", xLabel: hourLabel };
  return (
    <div class="usage-plots">
      <Plot {...common} caption="Median latency" note="p50 by hour" series={plots.median} yLabel={time} />
      <Plot {...common} caption="Slow answers" note="p95 by hour" series={plots.slow} yLabel={time} />
      <Plot {...common} caption="Success rate" note="by hour" series={plots.success} yLabel={percent} top={1} />
    </div>
  );
}
