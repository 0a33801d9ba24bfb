// Asking again what failed. What it may cost is said before.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, call, patiently } from "../api";
import type { BatchRecord, BatchRetried, RequestRecord, RetryItem } from "../api.gen";
import { addressOf } from "../state";
import { explain } from "../tasks/pieces";
import { Button, Confirm, counted, number } from "../ui";

interface AgainProps {
  of: Pick<RequestRecord, "id" | "status" | "credits">;
  task?: string;
  onRetried: (task: string) => void;
}

/** The button beside one request that failed; once it was queued anew, the way to the task that stands for it. */
export function Again({ of: { id, status, credits }, task, onRetried }: AgainProps) {
  const [asking, ask] = useState(false);
  const [mine, setMine] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  // The button that had the focus is gone once it was queued.
  useEffect(() => {
    if (mine && task) link.current?.focus();
  }, [mine, task]);
  if (task)
    return (
      <a ref={link} href={addressOf(["history", task])}>
        Queued anew
      </a>
    );
  if (status !== "FAILED") return null;
  return (
    <>
      <Button text="Retry…" class="small" onClick={() => ask(true)} data-testid="retry" />
      <Confirm
        title="Ask again?"
        action="Queue it anew"
        testid="retry-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={async () => {
          const { task } = await call("POST /v1/requests/{id}/retry", { params: { id } });
          setMine(true);
          onRetried(task.id);
        }}>
        <p>It costs at most {counted(credits.creditsToCharge, "credit")}, and nothing if it fails again.</p>
      </Confirm>
    </>
  );
}

interface Told {
  queued: number;
  before: number;
  refused: string[];
}

type RetryAllProps = { of: RequestRecord[]; onRetried: (id: string, task: string) => void; onDone: () => void };

/** Queues all of a selection anew, one after the other. */
export function RetryAll({ of, onRetried, onDone }: RetryAllProps) {
  const [asking, ask] = useState(false);
  const [told, tell] = useState<Told>();
  const most = of.reduce((sum, { credits }) => sum + credits.creditsToCharge, 0);
  const run = async () => {
    const sum: Told = { queued: 0, before: 0, refused: [] };
    for (const { id } of of) {
      try {
        const { queued, task } = await patiently(
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
    tell(sum);
    onDone();
  };
  return (
    <>
      {of.length > 0 && (
        <Button
          text={`Retry ${number(of.length)} chosen, at most ${counted(most, "credit")}…`}
          class="small"
          onClick={() => ask(true)}
          data-testid="retry-chosen"
        />
      )}
      {told && (
        <span role="status" class="faint" data-testid="retried">
          {number(told.queued)} queued anew{told.before > 0 && `, ${number(told.before)} had been before`}
          {told.refused.length > 0 &&
            `, ${number(told.refused.length)} refused: ${[...new Set(told.refused)].join("; ")}`}
          .
        </span>
      )}
      <Confirm
        title={`Ask ${number(of.length)} again?`}
        action="Queue them anew"
        testid="retry-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={run}>
        <p>Together they cost at most {counted(most, "credit")}; what fails again costs nothing.</p>
      </Confirm>
    </>
  );
}

type RetryFailedProps = { of: BatchRecord; small?: boolean; onRetried: () => void };

/** Asks again what of a batch failed, and nothing else. */
export function RetryFailed({ of: { id, failed }, small, onRetried }: RetryFailedProps) {
  const [asking, ask] = useState(false);
  const [told, tell] = useState<BatchRetried>();
  const refused =
    told?.results.filter((item): item is RetryItem & { error: NonNullable<RetryItem["error"]> } => !!item.error) ?? [];
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
      {told && (
        <span role="status" class="faint" data-testid="retried">
          {number(told.queued)} queued anew
          {refused.length > 0 && `, ${number(refused.length)} refused: ${reasons.join("; ")}`}.
        </span>
      )}
      <Confirm
        title={`Ask ${number(failed)} again?`}
        action="Queue them anew"
        testid="retry-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={async () => {
          tell(await call("POST /v1/batches/{id}/retry", { params: { id } }));
          onRetried();
        }}>
        <p>
          Only the tasks that failed are queued anew, each at most at the price it had; what fails again costs nothing.
        </p>
      </Confirm>
    </>
  );
}
