// One task: what was asked, when what happened, and what came of it.
import { useState } from "preact/hooks";
import { ApiError, call } from "../api";
import type { Task, TaskRecord } from "../api.gen";
import { providers } from "../openapi";
import { Output } from "../result/output";
import { Copy, Empty, NextStep, number, Problem, Spinner, useLoad, When } from "../ui";
import { DeliveryOf } from "./delivery";
import { useLive } from "./live";
import { explain, inWords, question, span, State } from "./pieces";

export function Detail({ id }: { id: string }) {
  // A task that ended changes no more; its result may be large, so it is read once.
  const [over, setOver] = useState<TaskRecord>();
  const { value, error } = useLive(async (signal) => {
    if (over) return over;
    const record = await call("GET /v1/async/task/{taskId}", { params: { taskId: id }, signal });
    if (record.task.finishedAt) setOver(record);
    return record;
  }, [id, !!over]);
  return (
    <div class="tasks">
      <p class="tasks-back"><a href="#/tasks">← All tasks</a></p>
      <Problem error={error} />
      {error instanceof ApiError && error.status === 404 && <Empty title="There is no such task">Finished tasks are kept for a limited time, and cancelled ones are gone.</Empty>}
      {!value && !error && <Spinner />}
      {value && <Shown record={value} />}
    </div>
  );
}

function Shown({ record }: { record: TaskRecord }) {
  const { task, credits, webhook, result, error } = record;
  const provider = useLoad(providers, []).value?.find((one) => one.taskType === task.taskType);
  return (
    <>
      <div class="tasks-title">
        <h1>{question(task.payload) || task.id}</h1>
        <State of={task.status} />
        {task.status === "QUEUED" && <Cancel id={task.id} />}
      </div>
      <div class="grid two">
        <div class="grid tasks-side">
          <section class="card">
            <Facts of={{
              "Task type": inWords(task.taskType),
              Priority: task.priority,
              Attempts: task.attempts,
              "Costs at most": `${number(credits.creditsToCharge)} credits`,
              Charged: credits.creditsCharged === null ? "Not yet" : `${number(credits.creditsCharged)} credits`,
              Id: <><code>{task.id}</code> <Copy text={task.id} /></>,
              "Idempotency key": task.idempotencyKey && <code>{task.idempotencyKey}</code>,
            }} />
          </section>
          <section class="card"><h2>Timeline</h2><Timeline task={task} /></section>
          <section class="card"><h2>Payload</h2><pre tabIndex={0} data-testid="payload">{JSON.stringify(task.payload, null, 2)}</pre></section>
          {webhook && <section class="card"><h2>Webhook</h2><DeliveryOf task={task} url={webhook.url} /></section>}
        </div>
        <section class="card" data-testid="outcome">
          {error && <div class="problem" data-testid="task-error"><strong>{error.code}</strong> {explain(error)}<NextStep code={error.code} />{error.details && <pre>{JSON.stringify(error.details, null, 2)}</pre>}</div>}
          {result && provider && <Output provider={provider.name} body={task.payload} result={result} response={record} />}
          {!task.finishedAt && <p class="faint"><Spinner label="Waiting" /> {task.startedAt ? `The task runs, attempt ${task.attempts || 1} of up to 5; its result appears here.` : "The task waits for its turn."}</p>}
        </section>
      </div>
    </>
  );
}

function Facts({ of }: { of: Record<string, preact.ComponentChildren> }) {
  return (
    <dl class="tasks-facts">
      {Object.entries(of).filter(([, value]) => value !== null).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
    </dl>
  );
}

function Timeline({ task: { createdAt, startedAt, finishedAt, status } }: { task: Task }) {
  const between = (from: string, to: string) => span(Date.parse(to) - Date.parse(from));
  return (
    <ol class="timeline">
      <li class="past"><span>Created</span> <When at={createdAt} /></li>
      {startedAt ? <li class="past"><span>Started</span> <When at={startedAt} /><div class="faint">waited {between(createdAt, startedAt)}</div></li>
        : <li><span class="faint">{finishedAt ? "Never started" : "Not started yet"}</span></li>}
      {finishedAt ? (
        <li class="past"><span class={status === "FAILED" ? "bad" : "good"}>{status === "FAILED" ? "Failed" : "Completed"}</span> <When at={finishedAt} />
          <div class="faint">{startedAt ? `ran ${between(startedAt, finishedAt)}` : `after ${between(createdAt, finishedAt)}`}</div></li>
      ) : <li><span class="faint">Not finished yet</span></li>}
    </ol>
  );
}

function Cancel({ id }: { id: string }) {
  const [error, setError] = useState<unknown>();
  const cancel = () => call("DELETE /v1/async/task/{taskId}", { params: { taskId: id } }).then(() => { location.hash = "#/tasks"; }, setError);
  return <><button type="button" class="danger" onClick={cancel} data-testid="cancel">Cancel the task</button><Problem error={error} /></>;
}
