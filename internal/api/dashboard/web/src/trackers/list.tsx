// The list of trackers: where each stands, its newest number, what it spends.
import { AsCall } from "../ascall";
import { call, patiently } from "../api";
import type { ComparedRow, MetricRow, Tracker } from "../api.gen";
import { route } from "../state";
import { counted, Heads, number, useLoad } from "../ui";
import { addressOf } from "./address";
import { Failed, leadOf, mayTrack, panelOf, Skeleton, Value, VerdictMark, type PanelBrand } from "./pieces";
import { Beginning, NewTracker } from "./start";
import { Drawing, topOf } from "./trend";
import { range, slotWords } from "./words";

export function TrackerList() {
  const { value, error, again } = useLoad((signal) => call("GET /v1/trackers", { signal }), []);
  const trackers = value?.trackers ?? [];
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
        {trackers.length > 0 && mayTrack() && (
          <span class="head-actions">
            <a class="button" href="#/trackers?new=file">
              Paste a file
            </a>
            <a class="button primary" href="#/trackers?new=form">
              New tracker
            </a>
          </span>
        )}
      </div>
      <Failed error={error} again={again} stale={!!value} />
      {!value && !error && <Skeleton label="Loading the trackers" />}
      {value && trackers.length === 0 && <Beginning />}
      {trackers.length > 0 && <Trackers trackers={trackers} />}
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
      <table class="row-cards" data-testid="trackers">
        <Heads names={["Tracker", "State", "Own brand is named in", "Last sweep", "Next sweep", "Spent this month"]} />
        <tbody>
          {trackers.map((tracker) => (
            <Row key={tracker.name} tracker={tracker} />
          ))}
        </tbody>
      </table>
      <p class="faint">
        The small range says where the share would be if the same questions were asked again. The verdict compares 28
        days with the 28 before.
      </p>
    </section>
  );
}

function Row({ tracker }: { tracker: Tracker }) {
  const { name, prompts, targets, lastSweep, cost } = tracker;
  return (
    <tr>
      <th scope="row" data-label="Tracker">
        <a href={addressOf(name, "overview")}>{name}</a>
        <div class="faint">
          {counted(prompts, "prompt")} × {counted(targets, "target")}
        </div>
      </th>
      <td data-label="State">
        <TrackerState tracker={tracker} />
      </td>
      <td data-label="Own brand is named in">
        <Newest tracker={tracker} />
      </td>
      <td data-label="Last sweep">
        {lastSweep ? (
          <>
            {number(lastSweep.progress.answered)} of {number(lastSweep.progress.planned)} answered
            <div class="faint">
              {lastSweep.state}, {slotWords(lastSweep)}
            </div>
          </>
        ) : (
          <span class="faint">none yet</span>
        )}
      </td>
      <td data-label="Next sweep">{nextSweep(tracker)}</td>
      <td data-label="Spent this month">
        <Spent cost={cost} />
      </td>
    </tr>
  );
}

/** What a month has cost so far, against its ceiling. */
export function Spent({ cost: { committed, ceiling } }: { cost: Tracker["cost"] }) {
  const share = ceiling ? Math.min(1, committed / ceiling) : 0;
  return (
    <div class="spent">
      <span>
        {number(committed)}{" "}
        {ceiling == null ? <span class="faint">credits, no ceiling</span> : <>of {number(ceiling)}</>}
      </span>
      {ceiling != null && (
        <div class="level" aria-hidden="true">
          <div class={share >= 1 ? "over" : share > 0.8 ? "much" : ""} style={{ width: `${100 * share}%` }} />
        </div>
      )}
    </div>
  );
}

interface Numbers {
  brand?: PanelBrand;
  row?: MetricRow;
  compared?: ComparedRow;
  sweeps?: MetricRow[];
}

/** The newest number of a tracker's own brand with its verdict. */
function Newest({ tracker }: { tracker: Tracker }) {
  const { value, error } = useLoad((signal) => patiently(() => newest(tracker.name, signal), signal), [tracker.name]);
  if (error) return <span class="faint">not to be had: {error instanceof Error ? error.message : String(error)}</span>;
  if (!value)
    return (
      <span class="skeleton" role="status" aria-label="Loading">
        <span class="bar w2" />
      </span>
    );
  const { brand, row, compared, sweeps = [] } = value;
  if (!brand) return <span class="faint">no brand to look for</span>;
  if (!row || row.value == null) return <span class="faint">no answers in 28 days</span>;
  return (
    <>
      <strong>
        <Value of={row.value} />
      </strong>{" "}
      <span class="faint">{brand.name}</span>
      {sweeps.length > 4 && <Spark brand={brand} sweeps={sweeps} />}
      <div class="faint">{range(row.interval?.rerun)}</div>
      {compared && <VerdictMark row={compared} own={brand.own} />}
    </>
  );
}

async function newest(name: string, signal: AbortSignal): Promise<Numbers> {
  const params = { name };
  const { rules, current } = await call("GET /v1/trackers/{name}/rules", { params, signal });
  const brands = rules.find((rule) => rule.name === current)?.brands ?? [];
  const brand = leadOf(panelOf({ definition: { brands, prompts: [], targets: [] } }));
  if (!brand) return {};
  const report = await call("GET /v1/trackers/{name}/compare", {
    params,
    query: { metric: "visibility", having: `brand:${brand.name}` },
    signal,
  });
  const { from, to } = report.period;
  const found = await call("GET /v1/trackers/{name}/metrics", {
    params,
    query: { metric: "visibility", by: "brand", having: `brand:${brand.name}`, from, to },
    signal,
  });
  const series = await call("GET /v1/trackers/{name}/metrics", {
    params,
    query: { metric: "visibility", by: "sweep,brand", last: 7, having: `brand:${brand.name}`, from, to },
    signal,
  });
  const sweeps = series.rows.filter(({ target }) => target === found.rows[0]?.target);
  return { brand, row: found.rows[0], compared: report.rows[0], sweeps };
}

/** The sweeps behind the number beside it, as a drawing: each the mean of the last seven. */
function Spark({ brand, sweeps }: { brand: PanelBrand; sweeps: MetricRow[] }) {
  const line = { brand, rows: sweeps.map((row) => ({ ...row, interval: null, provisional: false })) };
  return (
    <span class="spark">
      <Drawing
        points={sweeps.map(({ sweep = "" }) => ({ key: sweep, label: sweep }))}
        lines={[line]}
        top={topOf([line])}
      />
    </span>
  );
}

/** Whether it asks, in a word and a colour. */
export function TrackerState({ tracker: { state, demo, lastSweep } }: { tracker: Tracker }) {
  const running = lastSweep?.state === "running";
  return (
    <span class="states">
      {demo && <span class="badge">demo</span>}
      {state === "paused" && <span class="badge">‖ paused</span>}
      {state === "active" && !running && <span class="badge is-good">● active</span>}
      {running && <span class="badge is-now">◔ sweep running</span>}
      {lastSweep?.state === "skipped" && <span class="badge is-bad">! last sweep skipped</span>}
      {lastSweep?.state === "missed" && <span class="badge is-warn">! last sweep missed</span>}
    </span>
  );
}

/** When it asks next, in the reader's time. */
export function nextSweep({ nextSweepAt, state, demo }: Tracker): string {
  if (demo) return "A demo asks nothing";
  if (state === "paused") return "None while paused";
  if (!nextSweepAt) return "Only by hand";
  const parts = { weekday: "short", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  return new Date(nextSweepAt).toLocaleString(undefined, parts);
}
