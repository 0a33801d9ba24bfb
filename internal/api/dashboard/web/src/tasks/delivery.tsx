// The delivery of a task's webhook: its tries, and one more.
import { useEffect, useState } from "preact/hooks";
import { ApiError, call } from "../api";
import type { Delivery, DeliveryState, DeliveryTry, Task } from "../api.gen";
import { may } from "../session";
import { External } from "../external";
import { Button, number, Problem, useLoad, When } from "../ui";
import { span, State } from "./pieces";

/** As the API tells them apart: one that has a try planned is pending, whatever came before. */
export const stateOf = ({ nextTryAt, delivered }: Delivery): DeliveryState =>
  nextTryAt ? "pending" : delivered ? "delivered" : "failed";

const answered = (status: number) => (status >= 200 && status < 300 ? "good" : "bad");

/** What a try met: the receiver's status, or why there was none. */
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
        {error ? <Problem error={error} /> : <p class="faint">Sent when the task has finished.</p>}
      </>
    );
  return (
    <div data-testid="delivery">
      <p class="tasks-url">
        <External href={value.url}>{value.url}</External>
      </p>
      <p class="row">
        <State of={stateOf(value)} />{" "}
        <span class="faint">
          {number(value.attempts)} {value.attempts === 1 ? "try" : "tries"}
        </span>{" "}
        <Resend id={value.id} onSent={again} />
      </p>
      {value.nextTryAt && (
        <p class="faint">
          Next try <When at={value.nextTryAt} />
        </p>
      )}
      <Tries of={value.tries} />
    </div>
  );
}

/** The delivery, or nothing before the task has finished. */
async function read(id: string, signal: AbortSignal): Promise<Delivery | undefined> {
  try {
    return await call("GET /v1/webhooks/deliveries/{id}", { params: { id }, signal });
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 404) return undefined;
    throw problem;
  }
}

/** The live stream tells nothing of deliveries: what was seen is looked at again once the next try has been made. */
export function useNextTry(at: string | null | undefined, seen: unknown, again: () => void) {
  useEffect(() => {
    if (!at) return;
    const wait = Date.parse(at) - Date.now() + 1000;
    const timer = setTimeout(again, Math.min(Math.max(wait, 2000), 3_600_000));
    return () => clearTimeout(timer);
  }, [at, seen]);
}

function Tries({ of: tries }: { of: DeliveryTry[] }) {
  if (!tries.length) return <p class="faint">Not tried yet.</p>;
  return (
    <ol class="timeline" data-testid="tries">
      {tries.map((one) => (
        <li key={one.at} class="past">
          <Outcome of={one} /> <When at={one.at} />
          <div class="faint">after {span(one.ms)}</div>
        </li>
      ))}
    </ol>
  );
}

export function Resend({ id, onSent }: { id: string; onSent: () => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const resend = async () => {
    setBusy(true);
    setError(undefined);
    await call("POST /v1/webhooks/deliveries/{id}/resend", { params: { id } }).then(onSent, setError);
    setBusy(false);
  };
  if (!may("tasks")) return null;
  return (
    <>
      <Button text="Resend" class="small" disabled={busy} onClick={resend} data-testid="resend" />
      <Problem error={error} />
    </>
  );
}
