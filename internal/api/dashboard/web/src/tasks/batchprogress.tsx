// How far a batch is, what was refused, and what came out.
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
        {batch.refused.length > 0 && <Count name="Refused" value={batch.refused.length} look="bad" />}
        <Count name="Credits charged" value={batch.charged} />
      </dl>
      <Pace of={batch} left={tasks - ended} />
      <Problem error={batch.error} />
      <div class="row">
        {(state === "sending" || state === "waiting") && <Button text="Stop sending" onClick={stopSending} />}
        {state === "stopped" && (
          <Button text="Send the rest" class="primary" onClick={resumeBatch} data-testid="resume" />
        )}
        <Button
          text={`Download ${state === "done" ? "results" : "what is done"} as JSON lines`}
          class={state === "done" ? "primary" : ""}
          disabled={!completed && !failed}
          onClick={() => download(resultLines(), "earshot-results.jsonl")}
          data-testid="download"
        />
        <a href="#/history?mode=async">See the tasks</a> <a href="#/history/batches">See the batches</a>
        <Button text="New batch" onClick={forgetBatch} data-testid="new-batch" />
      </div>
      <BadRows of={batch.refused} state={["was refused", "were refused"]} testid="refused" />
    </section>
  );
}

const headings: Record<Progress["state"], string> = {
  sending: "Sending",
  waiting: "Waiting for room in the queue",
  stopped: "Stopped sending",
  following: "Working",
  done: "Done",
};

function Sending({ of: { total, sent, accepted, already } }: { of: Progress }) {
  return (
    <p data-testid="batch-sent">
      {sent < total && (
        <>
          {number(sent)} of {number(total)} rows sent.{" "}
        </>
      )}
      {number(accepted)} queued
      {already > 0 && <>, {number(already)} were there from an earlier submission and are not queued twice</>}.
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
  if (rate <= 0) return <p class="faint">The first results take a moment.</p>;
  const pace = rate >= 1 ? `${rate.toFixed(1)} tasks a second` : `${(rate * 60).toFixed(1)} tasks a minute`;
  return (
    <p class="faint">
      {pace}, about {span((left / rate) * 1000)} left.
    </p>
  );
}
