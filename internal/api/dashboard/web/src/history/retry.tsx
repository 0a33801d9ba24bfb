// Retries of failed requests. The maximum cost is shown first.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, call, retryRateLimited } from "../api";
import type { BatchRecord, BatchRetried, RequestRecord, RetryItem } from "earshot";
import { addressOf } from "../state";
import { explain } from "../tasks/pieces";
import { Button, Confirm, counted, number } from "../ui";

interface AgainProps {
  of: Pick<RequestRecord, "id" | "status" | "credits">;
  task?: string;
  onRetried: (task: string) => void;
}

/** The retry button of a failed request; after the retry, a link to the new task. */
export function Again({ of: { id, status, credits }, task, onRetried }: AgainProps) {
  const [asking, ask] = useState(false);
  const [mine, setMine] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  // The button is gone after the retry, so the link gets the focus.
  useEffect(() => {
    if (mine && task) link.current?.focus();
  }, [mine, task]);
  if (task)
    return (
      <a ref={link} href={addressOf(["history", task])}>
        Retried
      </a>
    );
  if (status !== "FAILED") return null;
  return (
    <>
      <Button text="Retry…" class="small" onClick={() => ask(true)} data-testid="retry" />
      <Confirm
        title="Retry this request?"
        action="Retry"
        testid="retry-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={async () => {
          const { task } = await call("POST /v1/requests/{id}/retry", { params: { id } });
          setMine(true);
          onRetried(task.id);
        }}>
        <p>Maximum cost: {counted(credits.creditsToCharge, "credit")}. If it fails again, it is free.</p>
      </Confirm>
    </>
  );
}

interface Result {
  queued: number;
  before: number;
  refused: string[];
}

type RetryAllProps = { of: RequestRecord[]; onRetried: (id: string, task: string) => void; onDone: () => void };

/** Retries all selected requests, one after another. */
export function RetryAll({ of, onRetried, onDone }: RetryAllProps) {
  const [asking, ask] = useState(false);
  const [result, setResult] = useState<Result>();
  const most = of.reduce((sum, { credits }) => sum + credits.creditsToCharge, 0);
  const run = async () => {
    const sum: Result = { queued: 0, before: 0, refused: [] };
    for (const { id } of of) {
      try {
        const { queued, task } = await retryRateLimited(
          () => call("POST /v1/requests/{id}/retry", { params: { id } }),
          new AbortController().signal,
        );
        sum[queued ? "queued" : "before"]++;
        onRetried(id, task.id);
      } catch (problem) {
        if (!(problem instanceof ApiError)) throw problem;
        sum.refused.push(problem.message);
      }
    }
    setResult(sum);
    onDone();
  };
  return (
    <>
      {of.length > 0 && (
        <Button
          text={`Retry ${number(of.length)} selected (max. ${counted(most, "credit")})…`}
          class="small"
          onClick={() => ask(true)}
          data-testid="retry-chosen"
        />
      )}
      {result && (
        <span role="status" class="faint" data-testid="retried">
          {number(result.queued)} retried{result.before > 0 && `, ${number(result.before)} retried before`}
          {result.refused.length > 0 &&
            `, ${number(result.refused.length)} rejected: ${[...new Set(result.refused)].join("; ")}`}
        </span>
      )}
      <Confirm
        title={`Retry ${counted(of.length, "request")}?`}
        action="Retry"
        testid="retry-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={run}>
        <p>Maximum cost: {counted(most, "credit")}. Requests that fail again are free.</p>
      </Confirm>
    </>
  );
}

type RetryFailedProps = { of: BatchRecord; small?: boolean; onRetried: () => void };

/** Retries the failed tasks of a batch. */
export function RetryFailed({ of: { id, failed }, small, onRetried }: RetryFailedProps) {
  const [asking, ask] = useState(false);
  const [result, setResult] = useState<BatchRetried>();
  const refused =
    result?.results.filter((item): item is RetryItem & { error: NonNullable<RetryItem["error"]> } => !!item.error) ??
    [];
  const reasons = [...new Set(refused.map(({ error }) => explain(error)))];
  return (
    <>
      {failed > 0 && (
        <Button
          text={`Retry ${number(failed)} failed…`}
          class={small ? "small" : undefined}
          onClick={() => ask(true)}
          data-testid="retry-failed"
        />
      )}
      {result && (
        <span role="status" class="faint" data-testid="retried">
          {number(result.queued)} retried
          {refused.length > 0 && `, ${number(refused.length)} rejected: ${reasons.join("; ")}`}
        </span>
      )}
      <Confirm
        title={`Retry ${counted(failed, "task")}?`}
        action="Retry"
        testid="retry-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={async () => {
          setResult(await call("POST /v1/batches/{id}/retry", { params: { id } }));
          onRetried();
        }}>
        <p>Only failed tasks are retried, at most at their original price. Tasks that fail again are free.</p>
      </Confirm>
    </>
  );
}
