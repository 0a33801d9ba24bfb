// What was read, what is wrong with it, what it costs, and the button that sends it.
import { useEffect, useMemo, useState } from "preact/hooks";
import { AsCall } from "../ascall";
import type { OpenAPI, Provider } from "../openapi";
import { balance, countryName } from "../state";
import { Empty, number, Problem, Spinner } from "../ui";
import { startBatch } from "./batch";
import { readRows, type Draft, type Row } from "./rows";
import { price } from "./submit";

const firstRows = 5;
const firstFaults = 50;

export function Preview({ draft, provider, api, providers }: { draft: Draft; provider: Provider; api: OpenAPI; providers: Provider[] }) {
  const { rows, ignored } = useMemo(() => readRows(draft, provider, api, providers), [draft, provider]);
  const placeless = needsCountry(rows, draft, provider);
  const checked = useChecked(placeless ? none : rows);
  const tasks = rows.length ? rows.slice(0, firstRows).map(({ request }) => request) : [{ taskType: provider.taskType, payload: provider.example }];
  const asCall = <AsCall method="POST" path="/v1/async/task/batch" body={tasks} />;
  if (!rows.length) {
    return (
      <section class="card">
        {draft.file ? <Empty title="The file has no rows">Choose another, or remove it and type prompts.</Empty>
          : <Empty title="No prompts yet">Paste prompts, one a line, or drop a CSV file. What was read and what it costs is shown here before anything is queued.</Empty>}
        {asCall}
      </section>
    );
  }
  if (placeless) {
    return (
      <section class="card" data-testid="preview">
        <h2><span data-testid="row-count">{number(rows.length)}</span> {rows.length === 1 ? "row" : "rows"} read</h2>
        <p class="warn" data-testid="needs-country">Choose the country to ask from; then they are checked, and the price is shown here.</p>
      </section>
    );
  }
  const sound = checked.rows.filter((row) => !row.fault);
  const faulty = checked.rows.filter((row) => row.fault);
  return (
    <section class="card" data-testid="preview">
      <h2><span data-testid="row-count">{number(rows.length)}</span> {rows.length === 1 ? "row" : "rows"} read</h2>
      {ignored.length > 0 && <p class="warn">Ignored, because the provider has no such field: {ignored.join(", ")}</p>}
      <FirstRows rows={sound.slice(0, firstRows)} rest={sound.length - firstRows} />
      <Faults rows={faulty} />
      <Problem error={checked.error} />
      {!!checked.error && <button type="button" onClick={checked.again}>Check again</button>}
      <Send rows={sound} faulty={faulty.length} pending={checked.pending && !checked.error} checked={checked.count} />
      {asCall}
    </section>
  );
}

const none: Row[] = [];

/** Whether no row says where to ask from, though the provider must know: nobody's country is guessed. */
function needsCountry(rows: Row[], { country }: Draft, { taskType, schema }: Provider): boolean {
  return !country && !!schema.required?.includes("country") && rows.every(({ request }) => request.taskType === taskType && !request.payload.country);
}

/** The rows with the server's word on each, once nothing changed for a moment. */
function useChecked(rows: Row[]) {
  const [asked, setAsked] = useState(0);
  const [state, setState] = useState<{ of?: Row[]; rows: Row[]; count: number; pending: boolean; error?: unknown }>({ rows, count: 0, pending: true });
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        await price(rows, stop.signal, (now, count) => setState({ of: rows, rows: now, count, pending: true }));
        setState((last) => ({ ...(last.of === rows ? last : { of: rows, rows, count: 0 }), pending: false }));
      } catch (error) {
        if (!stop.signal.aborted) setState({ of: rows, rows, count: 0, pending: false, error });
      }
    }, 400);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [rows, asked]);
  return { ...(state.of === rows ? state : { rows, count: 0, pending: true, error: undefined }), again: () => setAsked(asked + 1) };
}

function FirstRows({ rows, rest }: { rows: Row[]; rest: number }) {
  if (!rows.length) return null;
  return (
    <>
      <div class="scroll">
        <table aria-label="The first rows" class="tasks-rows">
          <thead><tr><th class="number">Line</th><th>Question</th><th>Country</th></tr></thead>
          <tbody>{rows.map(({ line, question, request: { payload } }) => (
            <tr key={line}><td class="number">{line}</td><td><span class="tasks-question">{question}</span></td><td>{payload.country ? countryName(String(payload.country)) : String(payload.gl ?? "–")}</td></tr>
          ))}</tbody>
        </table>
      </div>
      {rest > 0 && <p class="faint">and {number(rest)} more</p>}
    </>
  );
}

function Faults({ rows }: { rows: Row[] }) {
  if (!rows.length) return null;
  return (
    <details class="tasks-faults" open data-testid="faults">
      <summary class="bad">{number(rows.length)} {rows.length === 1 ? "row is" : "rows are"} faulty and will not be sent</summary>
      <ul>{rows.slice(0, firstFaults).map(({ line, question, fault }) => <li key={line}>Line {line}: {fault}{question && <span class="faint"> {question.slice(0, 80)}</span>}</li>)}</ul>
      {rows.length > firstFaults && <p class="faint">and {number(rows.length - firstFaults)} more</p>}
    </details>
  );
}

function Send({ rows, faulty, pending, checked }: { rows: Row[]; faulty: number; pending: boolean; checked: number }) {
  const priced = rows.every((row) => row.credits !== undefined);
  const credits = rows.reduce((sum, row) => sum + (row.credits ?? 0), 0);
  const short = balance.value !== undefined && credits > balance.value;
  return (
    <div class="tasks-send">
      <p data-testid="price">
        {pending ? <><Spinner label="Checking" /> Checking, {number(checked)} of {number(rows.length + faulty)}…</>
          : priced && rows.length > 0 && <>Costs at most <strong>{number(credits)}</strong> credits of {number(balance.value)}.</>}
      </p>
      {short && <p class="warn">That is more than is left: tasks whose turn comes without credits fail, uncharged.</p>}
      <button type="button" class="primary" disabled={pending || !priced || !rows.length} onClick={() => startBatch(rows)} data-testid="submit-batch">
        Queue {number(rows.length)} {rows.length === 1 ? "task" : "tasks"}
      </button>
    </div>
  );
}
