// One call or task: its request, timeline and result.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { ApiError, call } from "../api";
import type { RequestRecord, TaskRecord } from "earshot";
import { Output } from "../result/output";
import { may } from "../session";
import { addressOf } from "../state";
import { DeliveryOf } from "../tasks/delivery";
import { useLive } from "../tasks/live";
import { explain, question, span, State } from "../tasks/pieces";
import { When } from "../time";
import { productName } from "../names";
import { Button, Copy, counted, Empty, Facts, Loading, NextStep, Problem, Spinner, useAction } from "../ui";
import { Again } from "./retry";

/** A request, and its task if it has one. */
interface Shown {
  request: RequestRecord;
  task?: TaskRecord;
}

async function read(id: string, signal: AbortSignal): Promise<Shown> {
  const request = await call("GET /v1/requests/{id}", { params: { id }, signal });
  if (request.mode === "sync") return { request };
  return { request, task: await call("GET /v1/async/task/{taskId}", { params: { taskId: id }, signal }) };
}

export function Detail({ id }: { id: string }) {
  // A finished request does not change, and its result may be large, so it is read only once.
  const [over, setOver] = useState<Shown>();
  const loaded = useLive(
    async (signal) => {
      if (over) return over;
      const found = await read(id, signal);
      if (found.request.finishedAt) setOver(found);
      return found;
    },
    [id, !!over],
  );
  const { value, error } = loaded;
  return (
    <div class="history">
      <p class="tasks-back">
        <a href="#/history">← All requests</a>
      </p>
      {!value && <h1 class="hidden-words">Request</h1>}
      {error instanceof ApiError && error.status === 404 && (
        <Empty title="Request not found">
          Calls and tasks are kept for a limited time. Answers of trackers are kept with the tracker.
        </Empty>
      )}
      <Loading of={loaded} />
      {value && <Record of={value} />}
    </div>
  );
}

function Record({ of: { request, task } }: { of: Shown }) {
  const { id, payload, credits, result, error, status } = request;
  const [retry, setRetry] = useState<string>();
  return (
    <>
      <div class="tasks-title">
        <h1>{question(payload) || id}</h1>
        <State of={status} />
        {status === "QUEUED" && may("tasks") && <Cancel id={id} />}
        {may("tasks") && <Again of={request} task={retry} onRetried={setRetry} />}
      </div>
      <div class="grid two">
        <div class="grid tasks-side">
          <section class="card">
            <Facts
              class="tasks-facts"
              of={{
                Platform: productName(request.provider),
                Kind: request.mode === "sync" ? "Call" : "Task",
                Tracker: request.tracker ? (
                  <a href={addressOf(["trackers", request.tracker])}>{request.tracker}</a>
                ) : null,
                Priority: task?.task.priority ?? null,
                Attempts: request.attempts,
                "Maximum cost": counted(credits.creditsToCharge, "credit"),
                Charged: credits.creditsCharged === null ? "Not yet" : counted(credits.creditsCharged, "credit"),
                ID: (
                  <>
                    <code>{id}</code> <Copy text={id} />
                  </>
                ),
                "Idempotency key": request.idempotencyKey && <code>{request.idempotencyKey}</code>,
                Link: <Copy text={location.href} label="Copy link" />,
              }}
            />
          </section>
          <section class="card">
            <h2>Timeline</h2>
            <Timeline of={request} />
          </section>
          <section class="card">
            <h2>Request</h2>
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
              <strong>{explain(error)}</strong>
              <NextStep code={error.code} />
              <div class="faint">{error.code}</div>
              {error.details && <pre>{JSON.stringify(error.details, null, 2)}</pre>}
            </div>
          )}
          {result && <Output provider={request.provider} body={payload} result={result} response={task ?? request} />}
          {!request.finishedAt && (
            <p class="faint">
              <Spinner label="Waiting" />{" "}
              {request.startedAt
                ? `Running, attempt ${request.attempts || 1} of 5. The result will appear here.`
                : "Waiting in the queue"}
            </p>
          )}
        </section>
      </div>
      <AsCall path={`/v1/requests/${id}`} />
    </>
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
          <div class="faint">Waited {between(createdAt, startedAt)}</div>
        </li>
      ) : (
        <li>
          <span class="faint">{finishedAt ? "Not started" : "Not started yet"}</span>
        </li>
      )}
      {finishedAt ? (
        <li class="past">
          <span class={status === "FAILED" ? "bad" : "good"}>{status === "FAILED" ? "Failed" : "Completed"}</span>{" "}
          <When at={finishedAt} />
          <div class="faint">
            {startedAt ? `Ran ${between(startedAt, finishedAt)}` : `After ${between(createdAt, finishedAt)}`}
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
  const { error, run } = useAction(async () => {
    await call("DELETE /v1/async/task/{taskId}", { params: { taskId: id } });
    location.hash = "#/history";
  });
  return (
    <>
      <Button text="Cancel task" class="danger" onClick={run} data-testid="cancel" />
      <Problem error={error} />
    </>
  );
}
