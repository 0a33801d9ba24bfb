// The state of the queue, and a button that clears it.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call } from "../api";
import { may } from "../session";
import { status } from "../state";
import { Button, Confirm, counted, number } from "../ui";

export function Gauges() {
  const queue = status.value?.queue;
  const waiting = queue?.priorityBreakdown
    .map(({ priority, count }) => `${number(count)} with priority ${priority}`)
    .join(", ");
  return (
    <>
      <section class="tasks-gauges card" aria-label="Queue">
        <Gauge name="Queued" value={queue?.queuedTasks} max={queue?.queue.max} id="queued" />
        <Gauge name="Slots in use" value={queue?.concurrency.used} max={queue?.concurrency.max} id="slots" />
        <div class="gauge">
          <span class="faint">Running</span>
          <strong data-testid="running">{number(queue?.processingTasks)}</strong>
          <span class="faint">{waiting ? `Queued: ${waiting}` : "Queue is empty"}</span>
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
        text="Clear queue…"
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
          {counted(cleared, "task")} removed
        </span>
      )}
      <Confirm
        title="Clear the queue?"
        action={`Remove ${counted(queued, "task")}`}
        back="Cancel"
        testid="clear-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={async () => setCleared((await call("DELETE /v1/async/queue")).cleared)}>
        <p>
          This permanently removes {counted(queued, "queued task")} of all batches and keys, free of charge. Running
          tasks continue.
        </p>
      </Confirm>
    </div>
  );
}
