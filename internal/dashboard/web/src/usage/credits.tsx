// What was spent, by day and provider.
import { useMemo, useState } from "preact/hooks";
import { get } from "../api";
import { Plot } from "../plot";
import { Empty, number, Problem, Spinner } from "../ui";
import { useCalm } from "./calm";
import { byProvider, useProviders } from "./providers";

interface Row { date: string; provider: string; completed: number; failed: number; creditsCharged: number }

const ranges = [7, 30, 90];
const dayLength = 86_400_000;
const day = (time: number) => new Date(time).toISOString().slice(0, 10);
const dayLabel = (x: number) => new Date(x * 1000).toLocaleDateString(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

/** The days that a range has, the last of them today; the API counts in UTC. */
const lastDays = (count: number) => Array.from({ length: count }, (_, i) => day(Date.now() - (count - 1 - i) * dayLength));

export function Credits() {
  const [range, setRange] = useState(30);
  const known = useProviders();
  const { value, error } = useCalm(async (signal) => {
    const days = lastDays(range);
    const { usage } = await get<{ usage: Row[] }>(`v1/usage?from=${days[0]}&to=${days[range - 1]}`, { signal });
    return { days, usage };
  }, [range]);
  return (
    <section class="card" aria-labelledby="credits-head">
      <div class="usage-head">
        <h2 id="credits-head">Credits by day</h2>
        <div class="row" role="group" aria-label="Days">
          {ranges.map((days) => (
            <button key={days} type="button" class="small" aria-pressed={days === range} onClick={() => setRange(days)}>{days} days</button>
          ))}
        </div>
      </div>
      <Problem error={error} />
      {!value && !error && <Spinner />}
      {value && <Spent days={value.days} usage={value.usage} known={known} />}
    </section>
  );
}

function Spent({ days, usage, known }: { days: string[]; usage: Row[]; known: string[] }) {
  const x = useMemo(() => days.map((date) => Date.parse(date) / 1000), [days]);
  const series = useMemo(() => byProvider(usage, known, days, (row) => row.date, (row) => row.creditsCharged, 0), [usage, known, days]);
  const sum = (of: (row: Row) => number) => usage.reduce((all, row) => all + of(row), 0);
  if (!usage.length) {
    return <Empty title="Nothing was asked in these days"><p>Ask something in the <a href="#/playground">playground</a>, or choose a longer time.</p></Empty>;
  }
  return (
    <>
      <p class="usage-total">
        <strong data-testid="usage-total">{number(sum((row) => row.creditsCharged))}</strong> credits for {number(sum((row) => row.completed))} answers
        {" "}<span class="faint">and {number(sum((row) => row.failed))} failures</span>
      </p>
      <Plot caption="Credits charged" note="by day in UTC and provider" x={x} series={series} xName="Day" xLabel={dayLabel} yLabel={number} stacked />
    </>
  );
}
