// One batch: progress, failures, results, and a retry of failed tasks.
import { AsCall } from "../ascall";
import { ApiError, base, call } from "../api";
import type { BatchRecord } from "earshot";
import { may } from "../session";
import { changeQuery, route } from "../state";
import { useLive } from "../tasks/live";
import { When } from "../time";
import { Button, Copy, Empty, Loading, number } from "../ui";
import { failuresOf, lookOf, stateOf } from "./entries";
import { RequestRows } from "./requests";
import { RetryFailed } from "./retry";

export function BatchPage({ id }: { id: string }) {
  const loaded = useLive((signal) => call("GET /v1/batches/{id}", { params: { id }, signal }), [id]);
  const { value: batch, error, again } = loaded;
  const status = route.value.query.status;
  return (
    <div class="history">
      <p class="tasks-back">
        <a href="#/history/batches">← Batches</a>
      </p>
      {error instanceof ApiError && error.status === 404 && (
        <Empty title="Batch not found">It may have been deleted because of its age.</Empty>
      )}
      <Loading of={loaded} />
      {batch && (
        <>
          <Head of={batch} onRetried={again} />
          <Counts of={batch} />
          <div class="history-filters">
            <h2>Results</h2>
            <span class="segments" role="group" aria-label="Show">
              <Segment
                status={undefined}
                now={status}
                text={`All ${number(batch.total - batch.refused - batch.removed)}`}
              />
              <Segment status="FAILED" now={status} text={`Failed ${number(batch.failed)}`} />
              <Segment status="COMPLETED" now={status} text={`Completed ${number(batch.completed)}`} />
            </span>
          </div>
          <RequestRows
            key={`${id}/${status}`}
            filters={{ batch: id, status }}
            onEmpty={<Empty title="No tasks match this filter" />}
          />
          <AsCall path={`/v1/batches/${id}`} />
        </>
      )}
    </div>
  );
}

function Segment({ status, now, text }: { status?: string; now?: string; text: string }) {
  return <Button text={text} aria-pressed={status === now} onClick={() => changeQuery({ status })} />;
}

function Head({ of: batch, onRetried }: { of: BatchRecord; onRetried: () => void }) {
  const results = (format: string) =>
    new URL(`v1/batches/${encodeURIComponent(batch.id)}/results?format=${format}`, base).href;
  const ended = batch.completed + batch.failed > 0;
  return (
    <div class="tasks-title">
      <h1>
        Batch of <When at={batch.createdAt} brief />
      </h1>
      <span class={`badge ${lookOf(batch)}`} data-testid="state">
        {stateOf(batch)}
      </span>
      <span class="history-do">
        {may("tasks") && <RetryFailed of={batch} onRetried={onRetried} />}
        {ended && (
          <a class="button" href={results("csv")} download={`batch-${batch.id}.csv`} data-testid="batch-csv">
            CSV
          </a>
        )}
        {ended && (
          <a class="button" href={results("ndjson")} download={`batch-${batch.id}.jsonl`}>
            JSON lines
          </a>
        )}
        <Copy text={location.href} label="Copy link" />
      </span>
    </div>
  );
}

function Counts({ of: batch }: { of: BatchRecord }) {
  const parts: { name: string; count: number; look: string }[] = [
    { name: "Completed", count: batch.completed, look: "yes" },
    { name: "Failed", count: batch.failed, look: "failed" },
    { name: "Running", count: batch.processing, look: "run" },
    { name: "Waiting", count: batch.queued, look: "wait" },
    { name: "Rejected or removed", count: batch.refused + batch.removed, look: "gone" },
  ];
  return (
    <section class="card history-counts" aria-label="Progress">
      <div class="cover" aria-hidden="true">
        {parts
          .filter(({ count }) => count)
          .map(({ name, count, look }) => (
            <span key={name} class={look} style={{ width: `${(100 * count) / batch.total}%` }} />
          ))}
      </div>
      <dl class="tasks-counts">
        {parts.map(({ name, count, look }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={look === "yes" ? "good" : look === "failed" && count ? "bad" : ""} data-testid={`batch-${look}`}>
              {number(count)}{" "}
              {look === "failed" && count > 0 && <small class="faint">{failuresOf(batch.failures)}</small>}
            </dd>
          </div>
        ))}
        <div>
          <dt>Credits</dt>
          <dd>
            {number(batch.credits.creditsCharged)}{" "}
            <small class="faint">of max. {number(batch.credits.creditsToCharge)}</small>
          </dd>
        </div>
      </dl>
    </section>
  );
}
