// The sweeps of a tracker: answers, missing answers and cost; start and cancel one.
import { useEffect, useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call, sleep } from "../api";
import type { Sweep, SweepPage, Tracker } from "earshot";
import { route } from "../state";
import { span } from "../tasks/pieces";
import { timeText } from "../time";
import { CardTable } from "../table";
import { Button, Confirm, counted, Loading, number, Problem, Spinner, useAction, useLoad } from "../ui";
import { addressOf, setQuery } from "./address";
import { Spent } from "./list";
import { apiPath, mayTrack, type TabProps } from "./pieces";
import { percent, points, reasonWords, slotWords } from "./words";

const pageSize = 30;

export function Sweeps({ tracker, again }: TabProps) {
  const list = useSweepList(tracker.name);
  const running = list.sweeps.filter(({ state }) => state === "running");
  const mayRun = mayTrack() && !tracker.demo;
  const ask = route.value.query.run === "ask" && mayRun;
  const ended = () => {
    list.again();
    again();
  };
  const started = () => {
    setQuery({ run: "" });
    ended();
  };
  return (
    <>
      {(ask || running.length > 0) && (
        <div class="side-by-side">
          {running.map((sweep) => (
            <Running key={sweep.id} tracker={tracker.name} sweep={sweep} onEnd={ended} />
          ))}
          {ask && <RunNow tracker={tracker} onStarted={started} />}
        </div>
      )}
      <section class="card" aria-label="Sweeps">
        <div class="title-line">
          <h2>Sweeps</h2>
          {!ask && mayRun && <Button text="Run now…" onClick={() => setQuery({ run: "ask" })} data-testid="run-ask" />}
        </div>
        <p class="cover-key faint">
          <span>
            <i class="swatch" aria-hidden="true" /> Answered
          </span>
          <span>
            <i class="swatch is-missing" aria-hidden="true" /> Missing
          </span>
          <span>
            <i class="hatch" aria-hidden="true" /> Not asked yet
          </span>
        </p>
        <Loading of={list} lines={8} />
        {list.value && list.sweeps.length === 0 && (
          <p>
            No sweeps yet
            {tracker.nextSweepAt ? `. The first sweep starts on ${timeText(tracker.nextSweepAt)}.` : ""}
          </p>
        )}
        {list.sweeps.length > 0 && <SweepTable tracker={tracker.name} sweeps={list.sweeps} />}
        {list.more && (
          <p>
            <Button text="Show older sweeps" onClick={list.more} />
          </p>
        )}
      </section>
      <AsCall path={apiPath(tracker.name, "/sweeps")} query={{ limit: pageSize }} />
    </>
  );
}

/** Reads the sweeps, the newest first, one page and then more. */
function useSweepList(name: string) {
  const read = (cursor?: string, signal?: AbortSignal) =>
    call("GET /v1/trackers/{name}/sweeps", { params: { name }, query: { limit: pageSize, cursor }, signal });
  const first = useLoad((signal) => read(undefined, signal), [name]);
  const [older, setOlder] = useState<SweepPage[]>([]);
  useEffect(() => setOlder([]), [first.value]);
  const pages = first.value ? [first.value, ...older] : [];
  const cursor = pages.at(-1)?.nextCursor;
  const { error, run } = useAction(async () => setOlder([...older, await read(cursor!)]));
  return {
    ...first,
    error: first.error ?? error,
    sweeps: pages.flatMap(({ sweeps }) => sweeps),
    more: cursor ? run : undefined,
  };
}

/** Returns the state of a sweep in words, and its color. */
function stateOf({ state, progress }: Sweep): { words: string; look: string } {
  if (state === "closed")
    return progress.missing > 0 && progress.coverage < 0.95
      ? { words: "Incomplete", look: "is-warn" }
      : { words: "Complete", look: "is-good" };
  if (state === "running") return { words: "Running", look: "is-now" };
  return { words: state.charAt(0).toUpperCase() + state.slice(1), look: state === "skipped" ? "is-bad" : "" };
}

/** Returns why a sweep did not run. */
function whyNot({ state, reason, credits }: Sweep): string {
  if (reason === "ceiling")
    return `Not started: ${counted(credits.creditsToCharge, "credit")} exceed the monthly budget`;
  if (state === "missed") return "Not started: the service was not running at that time";
  return reason ? `Not started: ${reason}` : "Not started";
}

function SweepTable({ tracker, sweeps }: { tracker: string; sweeps: Sweep[] }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => setOpen(new Set(open.has(id) ? [...open].filter((one) => one !== id) : [...open, id]));
  const ifRan = (show: (sweep: Sweep) => preact.ComponentChildren) => (sweep: Sweep) => sweep.startedAt && show(sweep);
  return (
    <CardTable
      label="Sweeps"
      testid="sweeps"
      rows={sweeps}
      rowKey={({ id }) => id}
      rowClass={({ id }) => (open.has(id) ? "open-row" : undefined)}
      detail={(sweep) => open.has(sweep.id) && <Detail tracker={tracker} sweep={sweep} />}
      cells={{
        Due: (sweep) => (
          <>
            {sweep.startedAt ? (
              <Button
                text={slotWords(sweep)}
                class="opener"
                aria-expanded={open.has(sweep.id)}
                onClick={() => toggle(sweep.id)}
              />
            ) : (
              slotWords(sweep)
            )}
            {/^manual/.test(sweep.slot) && <span class="faint"> manual</span>}
          </>
        ),
        State: (sweep) => <span class={`badge ${stateOf(sweep).look}`}>{stateOf(sweep).words}</span>,
        Answers: (sweep) =>
          sweep.startedAt ? (
            <>
              <strong>{percent(sweep.progress.coverage)}</strong>{" "}
              <span class="faint">
                {number(sweep.progress.answered)} of {number(sweep.progress.planned)}
              </span>
              <Cover progress={sweep.progress} />
            </>
          ) : (
            <span class="faint">{whyNot(sweep)}</span>
          ),
        "#Missing": ifRan(({ id, progress: { missing } }) =>
          missing ? (
            <a href={addressOf(tracker, "answers", { sweep: id, outcome: "missing" })}>{number(missing)}</a>
          ) : (
            0
          ),
        ),
        "#Credits": ifRan(({ credits }) => number(credits.creditsCharged)),
        Duration: ifRan(({ startedAt, closedAt }) =>
          closedAt ? span(Date.parse(closedAt) - Date.parse(startedAt!)) : "–",
        ),
        Details: ifRan((sweep) => (
          <a href={addressOf(tracker, "answers", { sweep: sweep.id })}>
            View answers<span class="hidden-words"> of {slotWords(sweep)}</span>
          </a>
        )),
      }}
    />
  );
}

/** A bar of the answered, missing and remaining prompts. */
function Cover({ progress: { planned, answered, missing } }: Pick<Sweep, "progress">) {
  const share = (n: number) => ({ width: `${planned ? (100 * n) / planned : 0}%` });
  return (
    <span class="cover" aria-hidden="true">
      <i style={share(answered)} />
      <i class="is-missing" style={share(missing)} />
    </span>
  );
}

function Detail({ tracker, sweep }: { tracker: string; sweep: Sweep }) {
  const loaded = useLoad(
    (signal) => call("GET /v1/trackers/{name}/sweeps/{id}", { params: { name: tracker, id: sweep.id }, signal }),
    [tracker, sweep.id],
  );
  return (
    <div class="side-by-side">
      <div>
        <h3>Missing answers</h3>
        <Loading of={loaded} />
        {loaded.value && !loaded.value.missing?.length && <p>None</p>}
        <Reasons tracker={tracker} sweep={loaded.value} />
        <p class="faint">Missing answers are left out of all metrics and are not charged.</p>
      </div>
      <div>
        <h3>Details</h3>
        <dl class="amounts">
          <dt>Due</dt>
          <dd>{slotWords(sweep)}</dd>
          <dt>Started</dt>
          <dd>{sweep.startedAt && timeText(sweep.startedAt)}</dd>
          <dt>Finished</dt>
          <dd>{sweep.closedAt ? timeText(sweep.closedAt) : "Not yet"}</dd>
          <dt>Charged</dt>
          <dd>
            {number(sweep.credits.creditsCharged)} of max. {number(sweep.credits.creditsToCharge)} credits
          </dd>
          <dt>Settings version</dt>
          <dd>{sweep.version}</dd>
        </dl>
      </div>
    </div>
  );
}

/** Why answers of a sweep are missing, how many for each reason, and links to them. */
const Reasons = ({ tracker, sweep }: { tracker: string; sweep?: Sweep }) => (
  <ul class="reasons">
    {sweep?.missing?.map(({ reason, count }) => (
      <li key={reason}>
        <a href={addressOf(tracker, "answers", { sweep: sweep.id, outcome: "missing", reason })}>
          {reasonWords(reason)}
        </a>
        <strong> {number(count)}</strong>
      </li>
    ))}
  </ul>
);

/** A running sweep, followed until it ends. */
function Running({ tracker, sweep, onEnd }: { tracker: string; sweep: Sweep; onEnd: () => void }) {
  const [now, setNow] = useState(sweep);
  const [error, setError] = useState<unknown>();
  const [asking, setAsking] = useState(false);
  const params = { name: tracker, id: sweep.id };
  useEffect(() => {
    const stop = new AbortController();
    const follow = async () => {
      for (;;) {
        await sleep(1500, stop.signal);
        try {
          const next = await call("GET /v1/trackers/{name}/sweeps/{id}", { params, signal: stop.signal });
          setNow(next);
          setError(undefined);
          if (next.state !== "running") return onEnd();
        } catch (problem) {
          if (stop.signal.aborted) return;
          setError(problem);
        }
      }
    };
    follow().catch(() => undefined); // the page was left
    return () => stop.abort();
  }, [sweep.id]);
  const { planned, submitted, answered, missing } = now.progress;
  const cancel = async () => {
    await call("DELETE /v1/trackers/{name}/sweeps/{id}", { params });
    onEnd();
  };
  return (
    <section class="card" aria-label="Running sweep" data-testid="running">
      <div class="title-line">
        <h2>
          <Spinner label="Running" /> Running sweep
        </h2>
        <span class="faint">{slotWords(sweep)}</span>
      </div>
      <Cover progress={now.progress} />
      <p aria-live="polite">
        Of {number(planned)} prompts: <strong>{number(answered)}</strong> answered,{" "}
        <strong>{number(submitted - answered - missing)}</strong> in progress, <strong>{number(missing)}</strong>{" "}
        missing, <strong>{number(planned - submitted)}</strong> waiting
      </p>
      <Reasons tracker={tracker} sweep={now} />
      <p class="faint">
        {number(now.credits.creditsCharged)} of max. {number(now.credits.creditsToCharge)} credits
      </p>
      <Problem error={error} />
      {mayTrack() && (
        <Button text="Cancel sweep…" class="danger" onClick={() => setAsking(true)} data-testid="cancel-sweep" />
      )}
      <Confirm
        title="Cancel this sweep?"
        action="Cancel sweep"
        back="Keep running"
        testid="confirm-cancel"
        open={asking}
        onClose={() => setAsking(false)}
        run={cancel}>
        <p>
          {counted(planned - answered - missing, "prompt")} without an answer. Waiting prompts are removed and cost
          nothing; prompts in progress are finished and charged. A canceled sweep is left out of all metrics.
        </p>
      </Confirm>
    </section>
  );
}

/** Shows the cost of a sweep before it starts. */
function RunNow({ tracker, onStarted }: { tracker: Tracker; onStarted: () => void }) {
  // Repeating the request with the same key starts only one sweep.
  const [idempotencyKey] = useState(() => `dashboard-${crypto.randomUUID()}`);
  const { name, cost, prompts, targets, definition } = tracker;
  const params = { name };
  const plan = useLoad(
    (signal) => call("PUT /v1/trackers/{name}", { params, query: { dryRun: true }, body: definition!, signal }),
    [tracker],
  );
  const { busy, error, run } = useAction(async () => {
    await call("POST /v1/trackers/{name}/sweeps", { params, body: { idempotencyKey } });
    onStarted();
  });
  const samples = definition?.samples ?? 1;
  const smallest = plan.value?.precision.smallestChange;
  return (
    <section class="card quote" aria-label="Run a sweep now" data-testid="quote">
      <h2>Run a sweep now?</h2>
      <dl class="amounts">
        <dt>
          {counted(prompts, "prompt")} × {counted(targets, "target")} × {counted(samples, "sample")}
        </dt>
        <dd>{counted(prompts * targets * samples, "request")}</dd>
        <dt>Maximum cost</dt>
        <dd>
          <strong>{counted(cost.sweep, "credit")}</strong>
        </dd>
        <dt>This month so far</dt>
        <dd>
          <Spent cost={cost} />
        </dd>
        {smallest != null && (
          <>
            <dt>Smallest detectable change in 28 days</dt>
            <dd>{points(smallest)} points</dd>
          </>
        )}
      </dl>
      <p class="faint">A sweep on another day adds more information than a second sweep today.</p>
      <Problem error={error} />
      <p class="actions-left">
        <Button
          text={`Run (max. ${counted(cost.sweep, "credit")})`}
          class="primary"
          disabled={busy}
          onClick={run}
          data-testid="run-now"
        />
        <Button text="Cancel" onClick={() => setQuery({ run: "" })} />
      </p>
      <AsCall method="POST" path={apiPath(name, "/sweeps")} body={{ idempotencyKey }} />
    </section>
  );
}
