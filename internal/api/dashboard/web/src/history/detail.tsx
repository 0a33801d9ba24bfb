// One call or task: what was asked, when what happened, and what came of it.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { ApiError, call } from "../api";
import type { RequestRecord, TaskRecord } from "../api.gen";
import { Output } from "../result/output";
import { may } from "../session";
import { addressOf } from "../state";
import { DeliveryOf } from "../tasks/delivery";
import { useLive } from "../tasks/live";
import { explain, question, span, State } from "../tasks/pieces";
import { Button, Copy, counted, Empty, NextStep, Problem, Spinner, When } from "../ui";
import { Again } from "./retry";

/** A request and, of a task, what only tasks have. */
interface Shown {
  request: RequestRecord;
  task?: TaskRecord;
}

async function read(id: string, signal: AbortSignal): Promise<Shown> {
  const request = await call("GET /v1/requests/{id}", { params: { id }, signal });
  return {
    request,
    task:
      request.mode === "async"
        ? await call("GET /v1/async/task/{taskId}", { params: { taskId: id }, signal })
        : undefined,
  };
}

export function Detail({ id }: { id: string }) {
  // What ended changes no more; its result may be large, so it is read once.
  const [over, setOver] = useState<Shown>();
  const { value, error } = useLive(
    async (signal) => {
      if (over) return over;
      const found = await read(id, signal);
      if (found.request.finishedAt) setOver(found);
      return found;
    },
    [id, !!over],
  );
  return (
    <div class="history">
      <p class="tasks-back">
        <a href="#/history">← All requests</a>
      </p>
      <Problem error={error} />
      {error instanceof ApiError && error.status === 404 && (
        <Empty title="There is no such request">
          Finished calls and tasks are kept for a limited time, and cancelled tasks are gone. Answers of a sweep stay
          with their tracker.
        </Empty>
      )}
      {!value && !error && <Spinner />}
      {value && <Record of={value} />}
    </div>
  );
}

function Record({ of: { request, task } }: { of: Shown }) {
  const { id, payload, credits, result, error, status } = request;
  const [anew, setAnew] = useState<string>();
  return (
    <>
      <div class="tasks-title">
        <h1>{question(payload) || id}</h1>
        <State of={status} />
        {status === "QUEUED" && may("tasks") && <Cancel id={id} />}
        {may("tasks") && <Again of={request} task={anew} onRetried={setAnew} />}
      </div>
      <div class="grid two">
        <div class="grid tasks-side">
          <section class="card">
            <Facts
              of={{
                Asked: request.provider,
                Kind: request.mode === "sync" ? "call" : "task",
                Tracker: request.tracker ? (
                  <a href={addressOf(["trackers", request.tracker])}>{request.tracker}</a>
                ) : null,
                Priority: task?.task.priority ?? null,
                Attempts: request.attempts,
                "Costs at most": counted(credits.creditsToCharge, "credit"),
                Charged: credits.creditsCharged === null ? "Not yet" : counted(credits.creditsCharged, "credit"),
                Id: (
                  <>
                    <code>{id}</code> <Copy text={id} />
                  </>
                ),
                "Idempotency key": request.idempotencyKey && <code>{request.idempotencyKey}</code>,
                Link: <Copy text={location.href} label="Copy the address" />,
              }}
            />
          </section>
          <section class="card">
            <h2>Timeline</h2>
            <Timeline of={request} />
          </section>
          <section class="card">
            <h2>Payload</h2>
            <pre tabIndex={0} data-testid="payload">
              {JSON.stringify(payload, null, 2)}
            </pre>
          </section>
          {task?.webhook && (
            <section class="card">
              <h2>Webhook</h2>
              <DeliveryOf task={task.task} url={task.webhook.url} />
            </section>
          )}
        </div>
        <section class="card" data-testid="outcome">
          {error && (
            <div class="problem" data-testid="task-error">
              <strong>{error.code}</strong> {explain(error)}
              <NextStep code={error.code} />
              {error.details && <pre>{JSON.stringify(error.details, null, 2)}</pre>}
            </div>
          )}
          {result && <Output provider={request.provider} body={payload} result={result} response={task ?? request} />}
          {!request.finishedAt && (
            <p class="faint">
              <Spinner label="Waiting" />{" "}
              {request.startedAt
                ? `It runs, attempt ${request.attempts || 1} of up to 5; its result appears here.`
                : "It waits for its turn."}
            </p>
          )}
        </section>
      </div>
      <AsCall path={`/v1/requests/${id}`} />
    </>
  );
}

function Facts({ of }: { of: Record<string, preact.ComponentChildren> }) {
  return (
    <dl class="tasks-facts">
      {Object.entries(of)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Timeline({ of: { createdAt, startedAt, finishedAt, status } }: { of: RequestRecord }) {
  const between = (from: string, to: string) => span(Date.parse(to) - Date.parse(from));
  return (
    <ol class="timeline">
      <li class="past">
        <span>Created</span> <When at={createdAt} />
      </li>
      {startedAt ? (
        <li class="past">
          <span>Started</span> <When at={startedAt} />
          <div class="faint">waited {between(createdAt, startedAt)}</div>
        </li>
      ) : (
        <li>
          <span class="faint">{finishedAt ? "Never started" : "Not started yet"}</span>
        </li>
      )}
      {finishedAt ? (
        <li class="past">
          <span class={status === "FAILED" ? "bad" : "good"}>{status === "FAILED" ? "Failed" : "Completed"}</span>{" "}
          <When at={finishedAt} />
          <div class="faint">
            {startedAt ? `ran ${between(startedAt, finishedAt)}` : `after ${between(createdAt, finishedAt)}`}
          </div>
        </li>
      ) : (
        <li>
          <span class="faint">Not finished yet</span>
        </li>
      )}
    </ol>
  );
}

function Cancel({ id }: { id: string }) {
  const [error, setError] = useState<unknown>();
  const cancel = () =>
    call("DELETE /v1/async/task/{taskId}", { params: { taskId: id } }).then(() => {
      location.hash = "#/history";
    }, setError);
  return (
    <>
      <Button text="Cancel the task" class="danger" onClick={cancel} data-testid="cancel" />
      <Problem error={error} />
    </>
  );
}
