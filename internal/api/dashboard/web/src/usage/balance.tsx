// The current balance, billing cycle, slots and queue.
import { call } from "../api";
import type { Credits, QueueStatus } from "earshot";
import { status } from "../state";
import { dateText, dayLength } from "../time";
import { counted, number, Problem, Spinner, useLoad } from "../ui";

export function Balance() {
  const loaded = useLoad((signal) => call("GET /v1/credits", { signal }), []);
  const credits = status.value?.credits ?? loaded.value;
  return (
    <section class="card" aria-labelledby="balance-head">
      <h2 id="balance-head">Balance</h2>
      {!credits && (loaded.error ? <Problem error={loaded.error} /> : <Spinner />)}
      {credits && <Cycle {...credits} />}
    </section>
  );
}

function Cycle({ remaining, held, perCycle, cycleUsed, cycleStartedAt, cycleResetsAt, plan }: Credits) {
  const [from, to] = [Date.parse(cycleStartedAt), Date.parse(cycleResetsAt)];
  const left = Math.max(0, to - Date.now());
  return (
    <>
      <p class="usage-total">
        <strong data-testid="balance">{number(remaining)}</strong> credits left <span class="badge">{plan}</span>
      </p>
      {held > 0 && <p class="faint">{number(held)} reserved for running requests</p>}
      <Gauge
        label="Used in this billing cycle"
        used={cycleUsed}
        of={perCycle}
        text={`${number(cycleUsed)} of ${number(perCycle)} used`}
        testid="cycle-used"
      />
      <Gauge
        label="Billing cycle"
        used={to - from - left}
        of={to - from}
        text={`${counted(Math.ceil(left / dayLength), "day")} left`}
        warnAt={2}
      />
      <p class="faint">
        {dateText(cycleStartedAt)} – {dateText(cycleResetsAt)}, then {number(perCycle)} new credits
      </p>
    </>
  );
}

export function Load() {
  const loaded = useLoad((signal) => call("GET /v1/async/status", { signal }), []);
  const queue = status.value?.queue ?? loaded.value;
  return (
    <section class="card" aria-labelledby="load-head">
      <h2 id="load-head">Slots and queue</h2>
      {!queue && (loaded.error ? <Problem error={loaded.error} /> : <Spinner />)}
      {queue && <Gauges {...queue} />}
    </section>
  );
}

function Gauges({ queuedTasks, processingTasks, priorityBreakdown, concurrency, queue }: QueueStatus) {
  const waiting = queue.max - queue.remaining;
  return (
    <>
      <Gauge
        label="Slots in use"
        used={concurrency.used}
        of={concurrency.max}
        text={`${number(concurrency.used)} of ${number(concurrency.max)}`}
        testid="slots"
      />
      <Gauge
        label="Queue"
        used={waiting}
        of={queue.max}
        text={`${number(waiting)} of ${number(queue.max)}`}
        testid="queue"
      />
      <p class="faint">
        {counted(processingTasks, "task")} running, {number(queuedTasks)} queued
      </p>
      {priorityBreakdown.length > 0 && (
        <p class="faint">
          Queued by priority:{" "}
          {priorityBreakdown.map((p) => (
            <span key={p.priority} class="badge">
              {p.priority}: {number(p.count)}
            </span>
          ))}
        </p>
      )}
    </>
  );
}

type GaugeProps = { label: string; used: number; of: number; text: string; warnAt?: number; testid?: string };

/** A bar of a used amount, with a text. */
function Gauge({ label, used, of, text, warnAt = 0.9, testid }: GaugeProps) {
  const share = of > 0 ? Math.min(Math.max(used / of, 0), 1) : 0;
  return (
    <div class="gauge" data-testid={testid}>
      <div class="gauge-text">
        <span>{label}</span>
        <span>{text}</span>
      </div>
      <div
        class="gauge-bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={of}
        aria-valuenow={Math.min(used, of)}
        aria-valuetext={text}>
        <div class={share >= warnAt ? "much" : undefined} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
