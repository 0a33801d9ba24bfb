// The latest sweeps of all trackers, newest first.
import { call } from "../api";
import type { Sweep, SweepState } from "../api.gen";
import { addressOf } from "../state";
import { useLive } from "../tasks/live";
import { span } from "../tasks/pieces";
import { Empty, number, percent, Problem, Spinner, Table, When, type Column } from "../ui";

interface Row extends Sweep { tracker: string }

/** As many trackers are asked for their sweeps, and as many sweeps of each. */
const maxTrackers = 20;
const maxSweeps = 10;

async function read(signal: AbortSignal) {
  const { trackers } = await call("GET /v1/trackers", { signal });
  // The newest first, so that what is left out is what nobody looks for.
  const asked = trackers.sort((a, b) => (b.lastSweep?.dueAt ?? "").localeCompare(a.lastSweep?.dueAt ?? "")).slice(0, maxTrackers);
  const pages = await Promise.all(asked.map(({ name }) => call("GET /v1/trackers/{name}/sweeps", { params: { name }, query: { limit: maxSweeps }, signal })));
  const rows: Row[] = pages.flatMap(({ sweeps }, i) => sweeps.map((sweep) => ({ ...sweep, tracker: asked[i].name })));
  return { rows: rows.sort((a, b) => b.dueAt.localeCompare(a.dueAt)), leftOut: trackers.length - asked.length };
}

export function Sweeps() {
  const { value, error } = useLive(read, [], 10_000);
  if (!value) return error ? <Problem error={error} /> : <Spinner />;
  return (
    <>
      <Problem error={error} />
      {!value.rows.length && <Empty title="No sweeps yet">A <a href="#/trackers">tracker</a> asks its questions in sweeps, by its schedule or by hand.</Empty>}
      {value.rows.length > 0 && <section class="card history-table" data-testid="sweeps"><Table label="Sweeps" rows={value.rows} columns={columns} rowKey={({ id }) => id} /></section>}
      {value.rows.length > 0 && <p class="faint">The last {maxSweeps} sweeps of each tracker{value.leftOut > 0 && `; ${number(value.leftOut)} trackers whose last sweep is older are left out`}. The page of a tracker has all.</p>}
    </>
  );
}

const looks: Record<SweepState, string> = { running: "warn", closed: "good", canceled: "", skipped: "bad", missed: "bad" };

const took = ({ startedAt, closedAt }: Sweep) => (startedAt && closedAt ? Date.parse(closedAt) - Date.parse(startedAt) : undefined);

const columns: Column<Row>[] = [
  { name: "Due", value: ({ dueAt }) => dueAt, show: ({ tracker, dueAt, slot }) => <a href={addressOf(["trackers", tracker, "sweeps"])} title={slot}><When at={dueAt} /></a> },
  { name: "Tracker", value: ({ tracker }) => tracker, show: ({ tracker }) => <a class="tasks-question" href={addressOf(["trackers", tracker])}>{tracker}</a>, wide: true },
  { name: "State", value: ({ state }) => state, show: ({ state, reason }) => <><span class={`badge ${looks[state]}`}>{state}</span>{reason && <span class="faint block">{reason}</span>}</> },
  { name: "Answered", value: ({ progress }) => progress.answered, show: ({ progress }) => <>{number(progress.answered)} <span class="faint">of {number(progress.planned)}</span></>, numeric: true },
  { name: "Missing", value: ({ progress }) => progress.missing, show: ({ progress }) => number(progress.missing), numeric: true },
  { name: "Coverage", value: ({ progress }) => progress.coverage, show: ({ progress }) => percent(progress.coverage), numeric: true },
  { name: "Credits", value: ({ credits }) => credits.creditsCharged, show: ({ credits }) => number(credits.creditsCharged), numeric: true },
  { name: "Took", value: took, show: (sweep) => span(took(sweep)), numeric: true },
  { name: "Answers", value: () => "", show: ({ tracker, id }) => <a href={addressOf(["trackers", tracker, "answers"], { sweep: id })}>Answers</a> },
];
