// What was read, what is wrong with it, what it costs, and the button that sends it.
import { useEffect, useState } from "preact/hooks";
import { call, patiently, type Payload } from "../api";
import type { BatchFile, BatchFileProblem, BatchFileRow, BatchPreview, TaskType } from "../api.gen";
import { AsCall } from "../ascall";
import type { Provider } from "../openapi";
import { balance, countryName } from "../state";
import { Button, Empty, number, Problem, Spinner } from "../ui";
import { startBatch } from "./batch";
import { BadRows, countryOf, explain, question } from "./pieces";

const firstRows = 5;

/** What is asked for, as the form has it. */
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
  const { value, error, again } = usePreview(draft);
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
          <Empty title="The file has no rows">Choose another, or remove it and type prompts.</Empty>
        ) : (
          <Empty title="No prompts yet">
            Paste prompts, one a line, or drop a CSV file. What was read and what it costs is shown here before anything
            is queued.
          </Empty>
        )}
        {asCall}
      </section>
    );
  }
  if (!value)
    return (
      <section class="card">
        {error ? (
          <>
            <Problem error={error} />
            <Button text="Check again" onClick={again} />
          </>
        ) : (
          <Spinner label="Checking" />
        )}
      </section>
    );
  const head = (
    <h2>
      <span data-testid="row-count">{number(total)}</span> {total === 1 ? "row" : "rows"} read
    </h2>
  );
  if (!draft.country && value.problems.length === total && value.problems.every(lacksCountry)) {
    return (
      <section class="card" data-testid="preview">
        {head}
        <p class="warn" data-testid="needs-country">
          Choose the country to ask from; then they are checked, and the price is shown here.
        </p>
      </section>
    );
  }
  return (
    <section class="card" data-testid="preview">
      {head}
      {value.ignored.length > 0 && (
        <p class="warn">Ignored, because the provider has no such field: {value.ignored.join(", ")}</p>
      )}
      <FirstRows rows={value.rows.slice(0, firstRows)} rest={value.rows.length - firstRows} />
      <BadRows
        of={value.problems.map(({ line, error }) => ({ line, message: explain(error) }))}
        state={["is faulty and will not be sent", "are faulty and will not be sent"]}
        testid="faults"
      />
      <Send preview={value} />
      {asCall}
    </section>
  );
}

/** Whether the row only fails to say where to ask from: nobody's country is guessed. */
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

/** The server's word on each row, once nothing changed for a moment. */
function usePreview(draft: Draft) {
  const [asked, setAsked] = useState(0);
  const [state, setState] = useState<{ of?: Draft; value?: BatchPreview; error?: unknown }>({});
  useEffect(() => {
    if (!draft.text.trim()) return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        setState({
          of: draft,
          value: await patiently(
            () => call("POST /v1/async/task/batch/preview", { body: fileOf(draft), signal: stop.signal }),
            stop.signal,
          ),
        });
      } catch (error) {
        if (!stop.signal.aborted) setState({ of: draft, error });
      }
    }, 400);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [draft, asked]);
  return {
    ...(state.of === draft ? state : {}),
    again: () => {
      setState({});
      setAsked(asked + 1);
    },
  };
}

function FirstRows({ rows, rest }: { rows: BatchFileRow[]; rest: number }) {
  if (!rows.length) return null;
  return (
    <>
      <div class="scroll">
        <table aria-label="The first rows" class="tasks-rows">
          <thead>
            <tr>
              <th class="number">Line</th>
              <th>Question</th>
              <th>Country</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ line, task }) => (
              <tr key={line}>
                <td class="number">{line}</td>
                <td>
                  <span class="tasks-question">{question(task.payload as Payload)}</span>
                </td>
                <td>{countryName(countryOf(task.payload as Payload)) || "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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
            Costs at most <strong>{number(creditsToCharge)}</strong> credits of {number(balance.value)}.
          </>
        )}
      </p>
      {short && <p class="warn">That is more than is left: tasks whose turn comes without credits fail, uncharged.</p>}
      <Button
        text={`Queue ${number(rows.length)} ${rows.length === 1 ? "task" : "tasks"}`}
        class="primary"
        disabled={!rows.length}
        onClick={() => startBatch(rows)}
        data-testid="submit-batch"
      />
    </div>
  );
}
