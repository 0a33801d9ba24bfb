// The progress of a batch, its rejected rows, and its results.
import { download } from "../file";
import { Button, counted, number, Problem } from "../ui";
import { forgetBatch, resultLines, resumeBatch, stopSending, type Progress } from "./batch";
import { BadRows, span } from "./pieces";

export function BatchProgress({ of: batch }: { of: Progress }) {
  const { accepted, already, completed, failed, removed, running, state } = batch;
  const tasks = accepted + already;
  const ended = completed + failed + removed;
  return (
    <section class="card tasks-batch" data-testid="batch" data-state={state}>
      <h2>{headings[state]}</h2>
      <Sending of={batch} />
      <progress max={tasks || 1} value={ended} aria-label="Finished tasks" data-testid="batch-progress" />
      <dl class="tasks-counts">
        <Count name="Queued" value={tasks - ended - running} />
        <Count name="Running" value={running} />
        <Count name="Completed" value={completed} look="good" />
        <Count name="Failed" value={failed} look={failed ? "bad" : ""} />
        {removed > 0 && <Count name="Removed" value={removed} look="warn" />}
        {batch.refused.length > 0 && <Count name="Rejected" value={batch.refused.length} look="bad" />}
        <Count name="Credits charged" value={batch.charged} />
      </dl>
      <Pace of={batch} left={tasks - ended} />
      <Problem error={batch.error} />
      <div class="row">
        {(state === "sending" || state === "waiting") && <Button text="Stop submitting" onClick={stopSending} />}
        {state === "stopped" && (
          <Button text="Submit the rest" class="primary" onClick={resumeBatch} data-testid="resume" />
        )}
        <Button
          text="Download results (JSON Lines)"
          class={state === "done" ? "primary" : ""}
          disabled={!completed && !failed}
          onClick={() => download(resultLines(), "earshot-results.jsonl")}
          data-testid="download"
        />
        <a href="#/history?mode=async">View tasks</a> <a href="#/history/batches">View batches</a>
        <Button text="New batch" onClick={forgetBatch} data-testid="new-batch" />
      </div>
      <BadRows of={batch.refused} state="rejected" testid="refused" />
    </section>
  );
}

const headings: Record<Progress["state"], string> = {
  sending: "Submitting",
  waiting: "Waiting: the queue is full",
  stopped: "Stopped",
  following: "Running",
  done: "Done",
};

function Sending({ of: { total, sent, accepted, already } }: { of: Progress }) {
  return (
    <p data-testid="batch-sent">
      {sent < total && (
        <>
          {number(sent)} of {number(total)} rows submitted.{" "}
        </>
      )}
      {counted(accepted, "task")} queued{already > 0 && `, ${number(already)} already submitted before`}.
    </p>
  );
}

function Count({ name, value, look = "" }: { name: string; value: number; look?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={look} data-testid={`count-${name.toLowerCase().replace(" ", "-")}`}>
        {number(Math.max(0, value))}
      </dd>
    </div>
  );
}

function Pace({ of: { state, rate, ms, completed, failed }, left }: { of: Progress; left: number }) {
  if (state === "done")
    return (
      <p class="faint">
        {counted(completed + failed, "task")} in {span(ms)}.
      </p>
    );
  if (rate <= 0) return <p class="faint">Waiting for the first results…</p>;
  const pace = rate >= 1 ? `${rate.toFixed(1)} tasks per second` : `${(rate * 60).toFixed(1)} tasks per minute`;
  return (
    <p class="faint">
      {pace}, about {span((left / rate) * 1000)} left.
    </p>
  );
}
