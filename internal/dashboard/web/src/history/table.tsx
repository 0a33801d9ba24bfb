// Requests as a table whose rows are links.
import type { ComponentChildren } from "preact";
import type { Error as TaskError, Reason, RequestRecord, TaskCredits } from "../api.gen";
import { addressOf, countryName } from "../state";
import { countryOf, explain, inWords, question, span, State } from "../tasks/pieces";
import { number, Table, When, type Column } from "../ui";

/** Why the provider gave no usable answer, where that is the error. */
export const reasonOf = (error: TaskError | undefined): Reason | undefined => (error?.details && "reason" in error.details ? error.details.reason : undefined);

export interface Selection { chosen: ReadonlySet<string>; set: (id: string, on: boolean) => void }

export function RequestTable({ rows, select, action }: { rows: RequestRecord[]; select?: Selection; action?: (row: RequestRecord) => ComponentChildren }) {
  return <Table label="Requests" rows={rows} columns={columns(select, action)} rowKey={({ id }) => id} />;
}

function columns(select: Selection | undefined, action: ((row: RequestRecord) => ComponentChildren) | undefined): Column<RequestRecord>[] {
  return [
    { name: "State", value: ({ status }) => status, show: (row) => <>{select && <Choose of={row} select={select} />}<State of={row.status} why={explain(row.error)} /></> },
    { name: "Kind", value: ({ mode, tracker }) => kindOf(mode, tracker), show: ({ mode, tracker }) => <span class="badge type">{kindOf(mode, tracker)}</span> },
    { name: "Question", value: ({ payload }) => question(payload), show: (row) => <Question of={row} />, wide: true },
    { name: "Asked", value: ({ provider, payload }) => `${provider} ${countryOf(payload)}`, show: ({ provider, payload }) => <>{provider} <Country code={countryOf(payload)} /></> },
    { name: "Reason", value: ({ error }) => reasonText(error), show: (row) => <><Why of={row} />{action?.(row)}</> },
    { name: "Credits", value: ({ credits }) => credits.creditsCharged ?? credits.creditsToCharge, show: ({ credits }) => <Cost of={credits} />, numeric: true },
    { name: "Took", value: ({ latencyMs }) => latencyMs, show: ({ latencyMs }) => span(latencyMs), numeric: true },
    { name: "Asked at", value: ({ createdAt }) => createdAt, show: ({ createdAt }) => <When at={createdAt} /> },
  ];
}

const kindOf = (mode: RequestRecord["mode"], tracker?: string) => (tracker ? "sweep" : mode === "sync" ? "call" : "task");

/** The question, which leads to its answer. */
function Question({ of: { id, payload, tracker } }: { of: RequestRecord }) {
  return (
    <>
      <a class="tasks-question" href={addressOf(["history", id])} title={question(payload)}>{question(payload) || id}</a>
      {tracker && <a class="faint" href={addressOf(["trackers", tracker])}>{tracker}</a>}
    </>
  );
}

function Choose({ of: { id, status, payload }, select }: { of: RequestRecord; select: Selection }) {
  if (status !== "FAILED") return null;
  return <input type="checkbox" class="history-choose" aria-label={`Choose ${question(payload).slice(0, 80)}`} checked={select.chosen.has(id)} onChange={(event) => select.set(id, event.currentTarget.checked)} />;
}

function Country({ code }: { code: string }) {
  if (!code) return null;
  return <abbr class="faint" title={countryName(code.toUpperCase())}>{code.toUpperCase()}</abbr>;
}

const reasonText = (error: TaskError | undefined) => reasonOf(error) ?? (error ? inWords(error.code).replaceAll("_", " ") : "");

function Why({ of: { error, attempts } }: { of: RequestRecord }) {
  if (!error) return <span class="faint">–</span>;
  return <><span class="bad" title={explain(error)}>{reasonText(error)}</span>{attempts > 1 && <span class="faint">, {attempts} attempts</span>} </>;
}

/** What it did cost, or the most that it can. */
function Cost({ of: { creditsCharged, creditsToCharge } }: { of: TaskCredits }) {
  if (creditsCharged !== null) return <>{number(creditsCharged)}</>;
  return <span class="faint" title="The most that it can cost">≤ {number(creditsToCharge)}</span>;
}
