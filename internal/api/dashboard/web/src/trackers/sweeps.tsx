// Sweeps: what was asked, what came back, what it cost; run one now, stop one.
import { useEffect, useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call, sleep } from "../api";
import type { Sweep, SweepPage, Tracker } from "../api.gen";
import { route } from "../state";
import { Button, Confirm, counted, number, Problem, Spinner, useLoad } from "../ui";
import { addressOf, setQuery } from "./address";
import { Spent } from "./list";
import { Failed, mayTrack, Skeleton } from "./pieces";
import type { TabProps } from "./pieces";
import { percent, points, slotWords } from "./words";

const pageSize = 30;

export function Sweeps({ tracker, again }: TabProps) {
  const list = useSweepList(tracker.name);
  const running = list.sweeps.filter(({ state }) => state === "running");
  const ask = route.value.query.run === "ask" && mayTrack() && !tracker.demo;
  const started = () => {
    setQuery({ run: "" });
    list.again();
    again();
  };
  const path = `/v1/trackers/${encodeURIComponent(tracker.name)}/sweeps`;
  return (
    <>
      {(ask || running.length > 0) && (
        <div class="side-by-side">
          {running.map((sweep) => (
            <Running
              key={sweep.id}
              tracker={tracker.name}
              sweep={sweep}
              onEnd={() => {
                list.again();
                again();
              }}
            />
          ))}
          {ask && <RunNow tracker={tracker} onStarted={started} />}
        </div>
      )}
      <section class="card" aria-label="Sweeps">
        <div class="title-line">
          <h2>Sweeps</h2>
          {!ask && mayTrack() && !tracker.demo && (
            <Button text="Run now…" onClick={() => setQuery({ run: "ask" })} data-testid="run-ask" />
          )}
        </div>
        <p class="cover-key faint">
          <span>
            <i class="swatch" aria-hidden="true" /> answered
          </span>
          <span>
            <i class="swatch is-missing" aria-hidden="true" /> missing
          </span>
          <span>
            <i class="hatch" aria-hidden="true" /> not yet, or never asked
          </span>
        </p>
        <Failed error={list.error} again={list.again} stale={list.sweeps.length > 0} />
        {!list.loaded && !list.error && <Skeleton lines={8} label="Loading the sweeps" />}
        {list.loaded && list.sweeps.length === 0 && (
          <p>
            No sweep yet
            {tracker.nextSweepAt ? `; the first is due ${new Date(tracker.nextSweepAt).toLocaleString()}` : ""}.
          </p>
        )}
        {list.sweeps.length > 0 && (
          <table class="row-cards" data-testid="sweeps">
            <thead>
              <tr>
                <th scope="col">Due</th>
                <th scope="col">State</th>
                <th scope="col">Coverage</th>
                <th scope="col" class="number">
                  Missing
                </th>
                <th scope="col" class="number">
                  Credits
                </th>
                <th scope="col">Took</th>
                <th scope="col">
                  <span class="hidden-words">Answers</span>
                </th>
              </tr>
            </thead>
            {list.sweeps.map((sweep) => (
              <Row key={sweep.id} tracker={tracker.name} sweep={sweep} />
            ))}
          </table>
        )}
        {list.more && (
          <p>
            <Button text="Show older" onClick={list.more} />
          </p>
        )}
      </section>
      <AsCall path={path} query={{ limit: pageSize }} />
    </>
  );
}

/** The sweeps, the newest first, a page and then more. */
function useSweepList(name: string) {
  const first = useLoad(
    (signal) => call("GET /v1/trackers/{name}/sweeps", { params: { name }, query: { limit: pageSize }, signal }),
    [name],
  );
  const [older, setOlder] = useState<SweepPage[]>([]);
  const [error, setError] = useState<unknown>();
  useEffect(() => setOlder([]), [first.value]);
  const pages = first.value ? [first.value, ...older] : [];
  const cursor = pages[pages.length - 1]?.nextCursor;
  const more = () =>
    call("GET /v1/trackers/{name}/sweeps", { params: { name }, query: { limit: pageSize, cursor: cursor! } }).then(
      (page) => {
        setOlder([...older, page]);
        setError(undefined);
      },
      setError,
    );
  return {
    sweeps: pages.flatMap(({ sweeps }) => sweeps),
    loaded: !!first.value,
    error: first.error ?? error,
    again: first.again,
    more: cursor ? more : undefined,
  };
}

/** What a state is called, and its look. */
function stateOf({ state, progress }: Sweep): { words: string; look: string } {
  if (state === "closed")
    return progress.missing > 0 && progress.coverage < 0.95
      ? { words: "gaps", look: "is-warn" }
      : { words: "complete", look: "is-good" };
  if (state === "running") return { words: "running", look: "is-now" };
  return { words: state, look: state === "skipped" ? "is-bad" : "" };
}

const neverRan = {
  skipped: "Not started",
  missed: "Nothing was there to start it in its window; it is not asked later.",
};

function Row({ tracker, sweep }: { tracker: string; sweep: Sweep }) {
  const [open, setOpen] = useState(false);
  const { progress, credits, startedAt, closedAt, state } = sweep;
  const { words, look } = stateOf(sweep);
  const ran = startedAt !== null;
  return (
    <tbody>
      <tr class={open ? "open-row" : undefined}>
        <th scope="row" data-label="Due">
          {ran ? (
            <Button text={slotWords(sweep)} class="opener" aria-expanded={open} onClick={() => setOpen(!open)} />
          ) : (
            slotWords(sweep)
          )}
          {/^manual/.test(sweep.slot) && <span class="faint"> by hand</span>}
        </th>
        <td data-label="State">
          <span class={`badge ${look}`}>{words}</span>
        </td>
        {ran ? (
          <>
            <td data-label="Coverage">
              <strong>{percent(progress.coverage)}</strong>{" "}
              <span class="faint">
                {number(progress.answered)} of {number(progress.planned)}
              </span>
              <Cover progress={progress} />
            </td>
            <td data-label="Missing" class="number">
              {number(progress.missing)}
            </td>
            <td data-label="Credits" class="number">
              {number(credits.creditsCharged)}
            </td>
            <td data-label="Took">{closedAt ? took(startedAt, closedAt) : "–"}</td>
            <td>
              <a href={addressOf(tracker, "answers", { sweep: sweep.id })}>
                Answers<span class="hidden-words"> of {slotWords(sweep)}</span>
              </a>
            </td>
          </>
        ) : (
          <td colSpan={5} class="faint">
            {state === "skipped" || state === "missed" ? neverRan[state] : "Not started"}
            {sweep.reason === "ceiling"
              ? `: ${counted(credits.creditsToCharge, "credit")} did not fit under the month's ceiling.`
              : sweep.reason
                ? `: ${sweep.reason}.`
                : ""}
          </td>
        )}
      </tr>
      {open && (
        <tr class="inner">
          <td colSpan={7}>
            <Detail tracker={tracker} sweep={sweep} />
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** Answered, missing, and the rest of what was planned. */
function Cover({ progress: { planned, answered, missing } }: Pick<Sweep, "progress">) {
  const share = (n: number) => ({ width: `${planned ? (100 * n) / planned : 0}%` });
  return (
    <span class="cover" aria-hidden="true">
      <i style={share(answered)} />
      <i class="is-missing" style={share(missing)} />
    </span>
  );
}

function took(from: string, to: string): string {
  const minutes = Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
  return minutes < 1
    ? "under a minute"
    : minutes < 60
      ? `${minutes} min`
      : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What missing answers are missing for. */
const reasons: Record<string, string> = {
  blocked: "the provider refused to be asked",
  timeout: "no answer in time",
  unavailable: "the provider could not be reached",
  unreadable: "the page came, its parts were not recognised",
  empty: "an answer without a text",
  credits: "not enough credits",
  canceled: "the sweep was stopped",
  expired: "the window was over",
  failed: "any other failure",
};

function Detail({ tracker, sweep }: { tracker: string; sweep: Sweep }) {
  const { value, error, again } = useLoad(
    (signal) => call("GET /v1/trackers/{name}/sweeps/{id}", { params: { name: tracker, id: sweep.id }, signal }),
    [tracker, sweep.id],
  );
  const missing = value?.missing ?? [];
  return (
    <div class="side-by-side">
      <div>
        <h3>Why answers are missing</h3>
        <Failed error={error} again={again} />
        {!value && !error && <Spinner />}
        {value && missing.length === 0 && <p>None is.</p>}
        {missing.length > 0 && (
          <ul class="reasons">
            {missing.map(({ reason, count }) => (
              <li key={reason}>
                <a href={addressOf(tracker, "answers", { sweep: sweep.id, outcome: "missing", reason })}>{reason}</a>
                <strong> {number(count)}</strong>
                <div class="faint">{Object.hasOwn(reasons, reason) ? reasons[reason] : ""}</div>
              </li>
            ))}
          </ul>
        )}
        <p class="faint">Missing is not zero: these answers count nowhere, and only answers are charged.</p>
      </div>
      <div>
        <h3>How it went</h3>
        <dl class="amounts">
          <dt>Due</dt>
          <dd>{sweep.slot}</dd>
          <dt>Started</dt>
          <dd>{sweep.startedAt && new Date(sweep.startedAt).toLocaleString()}</dd>
          <dt>Ended</dt>
          <dd>{sweep.closedAt ? new Date(sweep.closedAt).toLocaleString() : "not yet"}</dd>
          <dt>Charged, of at most</dt>
          <dd>
            {number(sweep.credits.creditsCharged)} of {number(sweep.credits.creditsToCharge)} credits
          </dd>
          <dt>Definition</dt>
          <dd>version {sweep.version}</dd>
        </dl>
      </div>
    </div>
  );
}

/** A sweep that is under way, followed until it ends. */
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
  return (
    <section class="card" aria-label="Running now" data-testid="running">
      <div class="title-line">
        <h2>
          <Spinner label="Running" /> Running now
        </h2>
        <span class="faint">{slotWords(sweep)}</span>
      </div>
      <Cover progress={now.progress} />
      <p aria-live="polite">
        <strong>{number(answered)}</strong> answered, <strong>{number(submitted - answered - missing)}</strong> being
        asked, <strong>{number(missing)}</strong> missing, <strong>{number(planned - submitted)}</strong> waiting
        {` of ${number(planned)}`}
      </p>
      <p class="faint">
        {counted(now.credits.creditsCharged, "credit")} so far, at most {number(now.credits.creditsToCharge)}
      </p>
      <Problem error={error} />
      {mayTrack() && (
        <Button text="Cancel what waits…" class="danger" onClick={() => setAsking(true)} data-testid="cancel-sweep" />
      )}
      <Confirm
        title="Cancel this sweep?"
        action="Cancel what waits"
        back="Let it run"
        testid="confirm-cancel"
        open={asking}
        onClose={() => setAsking(false)}
        run={async () => {
          await call("DELETE /v1/trackers/{name}/sweeps/{id}", { params });
          onEnd();
        }}>
        <p>
          Without an answer yet: {counted(planned - answered - missing, "question")}. What is queued is removed and
          costs nothing; what is being asked is kept and charged. A canceled sweep counts in no number.
        </p>
      </Confirm>
    </section>
  );
}

/** The price before the action. */
function RunNow({ tracker, onStarted }: { tracker: Tracker; onStarted: () => void }) {
  // The same key again gives the same sweep: pressing twice, or after a lost answer, starts one.
  const [key] = useState(() => `dashboard-${crypto.randomUUID()}`);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const { cost, prompts, targets, definition } = tracker;
  const plan = useLoad(
    (signal) =>
      call("PUT /v1/trackers/{name}", {
        params: { name: tracker.name },
        query: { dryRun: true },
        body: definition!,
        signal,
      }),
    [tracker],
  );
  const run = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await call("POST /v1/trackers/{name}/sweeps", { params: { name: tracker.name }, body: { idempotencyKey: key } });
      onStarted();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  const small = plan.value?.precision.smallestChange;
  return (
    <section class="card quote" aria-label="Run a sweep now" data-testid="quote">
      <h2>Run a sweep now?</h2>
      <dl class="amounts">
        <dt>
          {counted(prompts, "prompt")} × {counted(targets, "target")} × {counted(definition?.samples ?? 1, "sample")}
        </dt>
        <dd>{counted(prompts * targets * (definition?.samples ?? 1), "question")}</dd>
        <dt>Costs at most</dt>
        <dd>
          <strong>{counted(cost.sweep, "credit")}</strong>
        </dd>
        <dt>This month so far</dt>
        <dd>
          <Spent cost={cost} />
        </dd>
        {small != null && (
          <>
            <dt>Smallest change that 28 days show</dt>
            <dd>{points(small)} points</dd>
          </>
        )}
      </dl>
      <p class="faint">A sweep on another day teaches more than a second one today.</p>
      <Problem error={error} />
      <p class="actions-left">
        <Button
          text={`Run, at most ${counted(cost.sweep, "credit")}`}
          class="primary"
          disabled={busy}
          onClick={run}
          data-testid="run-now"
        />
        <Button text="Not now" onClick={() => setQuery({ run: "" })} />
      </p>
      <AsCall
        method="POST"
        path={`/v1/trackers/${encodeURIComponent(tracker.name)}/sweeps`}
        body={{ idempotencyKey: key }}
      />
    </section>
  );
}
