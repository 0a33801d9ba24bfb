// The overview of a tracker: where a brand stands, and whether that changed.
import { call } from "../api";
import { route } from "../state";
import { useLoad } from "../ui";
import { numberQuery, periodOf } from "./address";
import { FilterLine, NothingLeft } from "./filters";
import { Headline } from "./headline";
import { AsCall, Basis, Failed, leadOf, MadeUp, Skeleton } from "./pieces";
import type { TabProps } from "./tabs";
import { metrics, type MetricName } from "./words";

/** The metric of the address. */
export function metricOf(): MetricName {
  const { metric = "" } = route.value.query;
  return Object.hasOwn(metrics, metric) ? (metric as MetricName) : "visibility";
}

export function Overview({ tracker, panel }: TabProps) {
  const params = { name: tracker.name };
  const metric = metricOf();
  const query = numberQuery(tracker);
  const lead = leadOf(panel);
  const asked = { ...query, metric, by: "brand" };
  const on = [tracker, metric, query.from, query.to, query.filter];
  const totals = useLoad((signal) => call("GET /v1/trackers/{name}/metrics", { params, query: asked, signal }), on);
  const change = useLoad((signal) => call("GET /v1/trackers/{name}/compare", { params, query: { ...query, metric }, signal }), on);
  const row = totals.value?.rows.find(({ brand }) => brand === lead?.name);
  const whole = (target: string) => target === row?.target || target.startsWith("*");
  const compared = change.value?.rows.find((r) => r.brand === lead?.name && whole(r.target));
  const grade = change.value?.grades.find(({ target }) => whole(target));
  return (
    <>
      <MadeUp when={totals.value?.madeUp} />
      <FilterLine tracker={tracker} against />
      <Failed error={totals.error ?? change.error} again={() => { totals.again(); change.again(); }} stale={!!totals.value} />
      {!totals.value && !totals.error && <Skeleton lines={6} label="Loading the numbers" />}
      {totals.value && (!row || row.denominator === 0) && <NothingLeft tracker={tracker} />}
      {row && row.denominator > 0 && lead && (
        <section class="card" aria-label="Headline">
          <Headline metric={metric} brand={lead} row={row} compared={compared} grade={grade} days={periodOf(tracker).days} />
          <Basis tracker={tracker.name} row={row} />
        </section>
      )}
      <AsCall path={`/v1/trackers/${encodeURIComponent(tracker.name)}/metrics`} query={asked} />
    </>
  );
}
