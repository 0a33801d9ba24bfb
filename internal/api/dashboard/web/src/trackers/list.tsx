// The list of trackers: state, newest number and cost of each.
import { AsCall } from "../ascall";
import { call, retryRateLimited } from "../api";
import type { Brand, Tracker } from "earshot";
import { route } from "../state";
import { timeText } from "../time";
import { CardTable } from "../table";
import { counted, Loading, number, useLoad } from "../ui";
import { addressOf } from "./address";
import { mayTrack, StrongValue, Value, VerdictMark } from "./pieces";
import { Beginning, NewTracker } from "./start";
import { Spark } from "./trend";
import { range } from "./words";

export function TrackerList() {
  const loaded = useLoad((signal) => call("GET /v1/trackers", { signal }), []);
  const trackers = loaded.value?.trackers;
  if (route.value.query.new && mayTrack())
    return (
      <div class="tracking">
        <NewTracker />
      </div>
    );
  return (
    <div class="tracking">
      <div class="tracker-head">
        <h1>Trackers</h1>
        {!!trackers?.length && mayTrack() && (
          <span class="head-actions">
            <a class="button" href="#/trackers?new=file">
              Import YAML
            </a>
            <a class="button primary" href="#/trackers?new=form">
              New tracker
            </a>
          </span>
        )}
      </div>
      <Loading of={loaded} lines={4} />
      {trackers?.length === 0 && <Beginning />}
      {!!trackers?.length && <Trackers trackers={trackers} />}
      <AsCall path="/v1/trackers" />
    </div>
  );
}

function Trackers({ trackers }: { trackers: Tracker[] }) {
  const spent = trackers.reduce((sum, { cost }) => sum + cost.committed, 0);
  return (
    <section class="card" aria-label="Trackers">
      <div class="title-line">
        <h2>{counted(trackers.length, "tracker")}</h2>
        <span class="faint">{counted(spent, "credit")} this month</span>
      </div>
      <CardTable
        label="Trackers"
        testid="trackers"
        rows={trackers}
        rowKey={({ name }) => name}
        cells={{
          Tracker: ({ name, title, prompts, targets }) => (
            <>
              <a href={addressOf(name, "overview")}>
                <bdi>{title}</bdi>
              </a>
              <div class="faint">
                {counted(prompts, "prompt")} × {counted(targets, "target")}
              </div>
            </>
          ),
          State: (tracker) => <TrackerState tracker={tracker} />,
          Visibility: ({ name, lead }) =>
            lead ? <Newest name={name} lead={lead} /> : <span class="faint">No brands</span>,
          "Last sweep": ({ lastSweep: last }) =>
            last ? (
              <>
                {number(last.progress.answered)} of {number(last.progress.planned)} answers
                <div class="faint">{timeText(last.dueAt)}</div>
              </>
            ) : (
              <span class="faint">None yet</span>
            ),
          "#Coverage": ({ coverage }) => <Value of={coverage} />,
          "#Alerts": ({ name, openAlerts = 0 }) =>
            openAlerts ? (
              <a href={addressOf(name, "alerts")}>
                <strong>{number(openAlerts)}</strong>
                <span class="hidden-words"> open alerts of {name}</span>
              </a>
            ) : (
              <span class="faint">0</span>
            ),
          "Next sweep": (tracker) => nextSweep(tracker),
          "Cost this month": ({ cost }) => <Spent cost={cost} />,
        }}
      />
      <p class="faint">
        Visibility is the share of answers that name your brand in the last 28 days, compared with the 28 days before.
        The range below it is what a re-run would give. Coverage is the share of prompts that were answered in the last
        seven sweeps. Alerts are counted until somebody acknowledges them.
      </p>
    </section>
  );
}

/** The credits of this month, and the budget if there is one. */
export function Spent({ cost: { committed, ceiling } }: { cost: Tracker["cost"] }) {
  if (ceiling == null) return <>{counted(committed, "credit")}</>;
  const share = ceiling ? Math.min(1, committed / ceiling) : 0;
  return (
    <div class="spent">
      {number(committed)} of {number(ceiling)} credits
      <div class="level" aria-hidden="true">
        <div class={share >= 1 ? "over" : share > 0.8 ? "much" : ""} style={{ width: `${100 * share}%` }} />
      </div>
    </div>
  );
}

/** The newest visibility of a tracker's own brand, with the verdict on its change. */
function Newest({ name, lead }: { name: string; lead: Brand }) {
  const { value, error } = useLoad(
    (signal) => retryRateLimited(() => newest(name, lead.name, signal), signal),
    [name, lead.name],
  );
  if (error) return <span class="faint">Not available: {error instanceof Error ? error.message : String(error)}</span>;
  if (!value)
    return (
      <span class="skeleton" role="status" aria-label="Loading">
        <span class="bar w2" />
      </span>
    );
  const { row, compared, sweeps } = value;
  if (!row || row.value == null) return <span class="faint">No answers in 28 days</span>;
  return (
    <>
      <StrongValue of={row.value} /> <bdi class="faint">{lead.name}</bdi>
      {sweeps.length > 4 && (
        <Spark
          brand={{ name: lead.name, own: !!lead.own, look: lead.own ? 0 : 1 }}
          values={sweeps.map(({ value }) => value)}
        />
      )}
      <div class="faint">{range(row.interval?.rerun)}</div>
      {compared && <VerdictMark row={compared} own={!!lead.own} />}
    </>
  );
}

/** Reads the visibility of a brand, its change, and its trend. */
async function newest(name: string, brand: string, signal: AbortSignal) {
  const params = { name };
  const query = { metric: "visibility", having: `brand:${brand}` };
  const report = await call("GET /v1/trackers/{name}/compare", { params, query, signal });
  const { from, to } = report.period;
  const metrics = (by: { by: string; last?: number }) =>
    call("GET /v1/trackers/{name}/metrics", { params, query: { ...query, from, to, ...by }, signal });
  const [all, sweeps] = await Promise.all([metrics({ by: "brand" }), metrics({ by: "sweep,brand", last: 7 })]);
  const [row] = all.rows;
  return { row, compared: report.rows[0], sweeps: sweeps.rows.filter(({ target }) => target === row?.target) };
}

export function TrackerState({ tracker: { state, demo, lastSweep } }: { tracker: Tracker }) {
  const running = lastSweep?.state === "running";
  return (
    <span class="states">
      {demo && <span class="badge">Demo</span>}
      {state === "paused" && <span class="badge">‖ Paused</span>}
      {state === "active" && !running && <span class="badge is-good">● Active</span>}
      {running && <span class="badge is-now">◔ Sweep running</span>}
      {lastSweep?.state === "skipped" && <span class="badge is-bad">! Last sweep skipped</span>}
      {lastSweep?.state === "missed" && <span class="badge is-warn">! Last sweep missed</span>}
    </span>
  );
}

/** Returns when the next sweep starts, after a label, or why none is scheduled. */
export function nextSweep({ nextSweepAt, state, demo }: Tracker, label = ""): string {
  if (demo) return "Demo: no scheduled runs";
  if (state === "paused") return "Paused";
  return nextSweepAt ? label + timeText(nextSweepAt) : "Manual only";
}
