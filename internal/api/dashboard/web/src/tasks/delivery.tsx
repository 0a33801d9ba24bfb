// The webhook delivery of a task: its attempts, and a resend button.
import { useEffect } from "preact/hooks";
import { ApiError, call } from "../api";
import type { Delivery, DeliveryState, DeliveryTry, Task } from "earshot";
import { may } from "../session";
import { External } from "../external";
import { When } from "../time";
import { Button, counted, Problem, useAction, useLoad } from "../ui";
import { span, State } from "./pieces";

/** Returns the state of a delivery. A delivery with a planned attempt is pending. */
export const stateOf = ({ nextTryAt, delivered }: Delivery): DeliveryState =>
  nextTryAt ? "pending" : delivered ? "delivered" : "failed";

const answered = (status: number) => (status >= 200 && status < 300 ? "good" : "bad");

/** The result of an attempt: the receiver's status, or the error. */
export function Outcome({ of: { status, error } }: { of: DeliveryTry }) {
  return status ? <span class={answered(status)}>Status {status}</span> : <span class="bad">{error}</span>;
}

export function DeliveryOf({ task, url }: { task: Task; url: string }) {
  const { value, error, again } = useLoad((signal) => read(task.id, signal), [task.finishedAt]);
  useNextTry(value?.nextTryAt, value, again);
  if (!value)
    return (
      <>
        <External href={url}>{url}</External>
        {error ? <Problem error={error} /> : <p class="faint">Sent when the task has finished</p>}
      </>
    );
  return (
    <div data-testid="delivery">
      <p class="tasks-url">
        <External href={value.url}>{value.url}</External>
      </p>
      <p class="row">
        <State of={stateOf(value)} /> <span class="faint">{counted(value.attempts, "attempt")}</span>{" "}
        <Resend id={value.id} onSent={again} />
      </p>
      {value.nextTryAt && (
        <p class="faint">
          Next attempt <When at={value.nextTryAt} />
        </p>
      )}
      <Tries of={value.tries} />
    </div>
  );
}

/** Reads the delivery; undefined before the task has finished. */
async function read(id: string, signal: AbortSignal): Promise<Delivery | undefined> {
  try {
    return await call("GET /v1/webhooks/deliveries/{id}", { params: { id }, signal });
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 404) return undefined;
    throw problem;
  }
}

/** Reads deliveries again after the next planned attempt, because the live stream does not report deliveries. */
export function useNextTry(at: string | null | undefined, seen: unknown, again: () => void) {
  useEffect(() => {
    if (!at) return;
    const wait = Date.parse(at) - Date.now() + 1000;
    const timer = setTimeout(again, Math.min(Math.max(wait, 2000), 3_600_000));
    return () => clearTimeout(timer);
  }, [at, seen]);
}

function Tries({ of: tries }: { of: DeliveryTry[] }) {
  if (!tries.length) return <p class="faint">No attempts yet</p>;
  return (
    <ol class="timeline" data-testid="tries">
      {tries.map((one) => (
        <li key={one.at} class="past">
          <Outcome of={one} /> <When at={one.at} />
          <div class="faint">{span(one.ms)}</div>
        </li>
      ))}
    </ol>
  );
}

export function Resend({ id, onSent }: { id: string; onSent: () => void }) {
  const { busy, error, run } = useAction(async () => {
    await call("POST /v1/webhooks/deliveries/{id}/resend", { params: { id } });
    onSent();
  });
  if (!may("tasks")) return null;
  return (
    <>
      <Button text="Resend" class="small" disabled={busy} onClick={run} data-testid="resend" />
      <Problem error={error} />
    </>
  );
}
