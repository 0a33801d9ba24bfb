// How full the queue is, and the button that empties it.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call } from "../api";
import { may } from "../session";
import { status } from "../state";
import { Button, Confirm, number } from "../ui";

export function Gauges() {
  const queue = status.value?.queue;
  const waiting = queue?.priorityBreakdown
    .map(({ priority, count }) => `${number(count)} of priority ${priority}`)
    .join(", ");
  return (
    <>
      <section class="tasks-gauges card" aria-label="The queue now">
        <Gauge name="Queued" value={queue?.queuedTasks} max={queue?.queue.max} id="queued" />
        <Gauge name="Slots in use" value={queue?.concurrency.used} max={queue?.concurrency.max} id="slots" />
        <div class="gauge">
          <span class="faint">Running</span>
          <strong data-testid="running">{number(queue?.processingTasks)}</strong>
          <span class="faint">{waiting ? `Next: ${waiting}` : "Nothing waits"}</span>
        </div>
        <Clear queued={queue?.queuedTasks ?? 0} />
      </section>
      <AsCall path="/v1/async/status" />
    </>
  );
}

function Gauge({ name, value, max, id }: { name: string; value?: number; max?: number; id: string }) {
  return (
    <div class="gauge">
      <span class="faint">{name}</span>
      <strong data-testid={id}>{number(value)}</strong>
      <progress max={max || 1} value={value ?? 0} aria-label={name} />
      <span class="faint">of {number(max)}</span>
    </div>
  );
}

function Clear({ queued }: { queued: number }) {
  const [asking, ask] = useState(false);
  const [cleared, setCleared] = useState<number>();
  if (!may("tasks")) return null;
  return (
    <div class="gauge clear">
      <Button
        text="Clear the queue…"
        class="danger"
        disabled={!queued}
        onClick={() => {
          setCleared(undefined);
          ask(true);
        }}
        data-testid="clear-queue"
      />
      {cleared !== undefined && (
        <span class="faint" role="status">
          {number(cleared)} {cleared === 1 ? "task" : "tasks"} removed.
        </span>
      )}
      <Confirm
        title="Clear the queue?"
        action={`Remove ${number(queued)}`}
        back="Keep them"
        testid="clear-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={async () => setCleared((await call("DELETE /v1/async/queue")).cleared)}>
        <p>
          {queued === 1 ? "1 task that waits is" : `${number(queued)} tasks that wait are`} removed for good, of every
          batch and every key. Tasks that run go on, and nothing is charged for those removed.
        </p>
      </Confirm>
    </div>
  );
}
