// The preview of a batch: its rows, problems and cost, and the submit button.
import { call, retryRateLimited, type Payload } from "../api";
import type { BatchFile, BatchFileProblem, BatchFileRow, BatchPreview, TaskType } from "earshot";
import { AsCall } from "../ascall";
import type { Provider } from "../openapi";
import { balance, countryName } from "../state";
import { CardTable } from "../table";
import { Button, counted, Empty, Loading, number, useSettled } from "../ui";
import { startBatch } from "./batch";
import { BadRows, countryOf, explain, question } from "./pieces";

const firstRows = 5;

/** The values of the form. */
export interface Draft {
  taskType: TaskType | "";
  country: string;
  priority: string;
  webhook: string;
  text: string;
  file: string;
  again: string;
}

export function Preview({ draft, provider }: { draft: Draft; provider: Provider }) {
  const preview = usePreview(draft);
  const value = preview.busy ? undefined : preview.value;
  const some = value?.rows.slice(0, firstRows).map(({ task }) => task) ?? [];
  const asCall = (
    <AsCall
      method="POST"
      path="/v1/async/task/batch"
      body={some.length ? some : [{ taskType: provider.taskType, payload: provider.example }]}
    />
  );
  const total = value ? value.rows.length + value.problems.length : 0;
  if (!draft.text.trim() || (value && !total)) {
    return (
      <section class="card">
        {draft.file ? (
          <Empty title="The file is empty">Choose another file, or remove it and type prompts.</Empty>
        ) : (
          <Empty title="No prompts yet">
            Enter one prompt per line, or drop a CSV file. You see a preview and the cost before anything runs.
          </Empty>
        )}
        {asCall}
      </section>
    );
  }
  if (!value)
    return (
      <section class="card">
        <Loading of={{ value, error: preview.error, again: preview.again }} />
      </section>
    );
  const head = (
    <h2>
      <span data-testid="row-count">{number(total)}</span> {total === 1 ? "row" : "rows"}
    </h2>
  );
  if (!draft.country && value.problems.length === total && value.problems.every(lacksCountry)) {
    return (
      <section class="card" data-testid="preview">
        {head}
        <p class="warn" data-testid="needs-country">
          Choose a country to see the cost.
        </p>
      </section>
    );
  }
  return (
    <section class="card" data-testid="preview">
      {head}
      {value.ignored.length > 0 && <p class="warn">Ignored columns: {value.ignored.join(", ")}</p>}
      <FirstRows rows={value.rows.slice(0, firstRows)} rest={value.rows.length - firstRows} />
      <BadRows
        of={value.problems.map(({ line, error }) => ({ line, message: explain(error) }))}
        state="invalid, will not be submitted"
        testid="faults"
      />
      <Send preview={value} />
      {asCall}
    </section>
  );
}

/** Reports whether the only problem of a row is its missing country. */
const lacksCountry = ({ error: { details } }: BatchFileProblem) =>
  Array.isArray(details) &&
  details.every(({ field, message }) => field === "payload.country" && message === "is required");

function fileOf({ taskType, country, priority, webhook, text, file, again }: Draft): BatchFile {
  const format = !file ? "lines" : /\.(jsonl|ndjson)$/i.test(file) ? "ndjson" : undefined;
  return {
    text,
    format,
    run: again || undefined,
    taskType: taskType || undefined,
    country: country || undefined,
    priority: priority ? Number(priority) : undefined,
    webhook: webhook ? { url: webhook } : undefined,
  };
}

/** Asks the server to check each row, once typing has paused. */
const usePreview = (draft: Draft) =>
  useSettled<BatchPreview | undefined>(
    async (signal) =>
      draft.text.trim()
        ? retryRateLimited(() => call("POST /v1/async/task/batch/preview", { body: fileOf(draft), signal }), signal)
        : undefined,
    [draft],
  );

function FirstRows({ rows, rest }: { rows: BatchFileRow[]; rest: number }) {
  if (!rows.length) return null;
  return (
    <>
      <CardTable
        plain
        label="First rows"
        rows={rows}
        rowKey={({ line }) => line}
        cells={{
          Line: ({ line }) => line,
          Prompt: ({ task }) => <span class="tasks-question">{question(task.payload as Payload)}</span>,
          Country: ({ task }) => countryName(countryOf(task.payload as Payload)) || "–",
        }}
      />
      {rest > 0 && <p class="faint">and {number(rest)} more</p>}
    </>
  );
}

function Send({ preview: { rows, creditsToCharge } }: { preview: BatchPreview }) {
  const short = balance.value !== undefined && creditsToCharge > balance.value;
  return (
    <div class="tasks-send">
      <p data-testid="price">
        {rows.length > 0 && (
          <>
            Maximum cost: <strong>{number(creditsToCharge)}</strong> of {number(balance.value)} credits
          </>
        )}
      </p>
      {short && <p class="warn">Not enough credits: tasks without credits will fail and are not charged.</p>}
      <Button
        text={`Submit ${counted(rows.length, "task")}`}
        class="primary"
        disabled={!rows.length}
        onClick={() => startBatch(rows)}
        data-testid="submit-batch"
      />
    </div>
  );
}
