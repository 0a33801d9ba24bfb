// How full the queue is, and the button that empties it.
import { useState } from "preact/hooks";
import { call } from "../api";
import { status } from "../state";
import { Dialog, number, Problem } from "../ui";

export function Gauges() {
  const queue = status.value?.queue;
  const breakdown: { priority: number; count: number }[] = queue?.priorityBreakdown ?? [];
  const waiting = breakdown.map(({ priority, count }) => `${number(count)} of priority ${priority}`).join(", ");
  return (
    <section class="tasks-gauges card" aria-label="The queue now">
      <Gauge name="Queued" value={queue?.queuedTasks} most={queue?.queue.max} id="queued" />
      <Gauge name="Slots in use" value={queue?.concurrency.used} most={queue?.concurrency.max} id="slots" />
      <div class="gauge">
        <span class="faint">Running</span>
        <strong data-testid="running">{number(queue?.processingTasks)}</strong>
        <span class="faint">{waiting ? `Next: ${waiting}` : "Nothing waits"}</span>
      </div>
      <Clear queued={queue?.queuedTasks ?? 0} />
    </section>
  );
}

function Gauge({ name, value, most, id }: { name: string; value?: number; most?: number; id: string }) {
  return (
    <div class="gauge">
      <span class="faint">{name}</span>
      <strong data-testid={id}>{number(value)}</strong>
      <progress max={most || 1} value={value ?? 0} aria-label={name} />
      <span class="faint">of {number(most)}</span>
    </div>
  );
}

function Clear({ queued }: { queued: number }) {
  const [asking, ask] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [cleared, setCleared] = useState<number>();
  const clear = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setCleared((await call("DELETE", "v1/async/queue")).cleared);
      ask(false);
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <div class="gauge clear">
      <button type="button" class="danger" disabled={!queued} onClick={() => { setCleared(undefined); ask(true); }} data-testid="clear-queue">Clear the queue…</button>
      {cleared !== undefined && <span class="faint" role="status">{number(cleared)} {cleared === 1 ? "task" : "tasks"} removed.</span>}
      <Dialog title="Clear the queue?" open={asking} onClose={() => ask(false)}>
        <p>
          {queued === 1 ? "1 task that waits is" : `${number(queued)} tasks that wait are`} removed for good, of every batch and every key.
          Tasks that run go on, and nothing is charged for those removed.
        </p>
        <Problem error={error} />
        <div class="tasks-actions">
          <button type="button" onClick={() => ask(false)}>Keep them</button>
          <button type="button" class="danger" disabled={busy} onClick={clear} data-testid="clear-confirm">Remove {number(queued)}</button>
        </div>
      </Dialog>
    </div>
  );
}
