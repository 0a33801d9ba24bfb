// The table of the history.
import type { ComponentChildren } from "preact";
import { addressOf, countryName } from "../state";
import { span } from "../tasks/pieces";
import { When } from "../time";
import { Table, type Column } from "../table";
import { number } from "../ui";
import type { Entry } from "./entries";

const kinds: Record<Entry["kind"], string> = { call: "Call", task: "Task", batch: "Batch", sweep: "Sweep" };

interface Selection {
  chosen: ReadonlySet<string>;
  set: (id: string, on: boolean) => void;
}

type EntryTableProps = { rows: Entry[]; select?: Selection; action?: (row: Entry) => ComponentChildren };

export function EntryTable({ rows, select, action }: EntryTableProps) {
  return <Table label="Requests" rows={rows} columns={columns(select, action)} rowKey={({ id }) => id} />;
}

function columns(
  select: Selection | undefined,
  action: ((row: Entry) => ComponentChildren) | undefined,
): Column<Entry>[] {
  return [
    {
      name: "State",
      value: ({ state }) => state,
      show: (row) => (
        <>
          {select && <Choose of={row} select={select} />}
          <span class={`badge ${row.look}`} title={row.why} data-testid="state">
            {row.state}
          </span>
        </>
      ),
    },
    { name: "Kind", value: ({ kind }) => kind, show: ({ kind }) => <span class="badge type">{kinds[kind]}</span> },
    { name: "Prompt or name", value: ({ title }) => title, show: (row) => <Title of={row} />, wide: true },
    {
      name: "Platform",
      value: ({ asked, country }) => `${asked} ${country}`,
      show: ({ asked, country }) =>
        asked && (
          <>
            {asked}{" "}
            {country && (
              <abbr class="faint" title={countryName(country)}>
                {country}
              </abbr>
            )}
          </>
        ),
    },
    {
      name: "Reason",
      value: ({ reason }) => reason,
      show: (row) => (
        <>
          <Why of={row} />
          {action?.(row)}
        </>
      ),
    },
    { name: "Credits", value: ({ charged, most }) => charged ?? most, show: (row) => <Cost of={row} />, numeric: true },
    { name: "Duration", value: ({ took }) => took, show: ({ took }) => span(took), numeric: true },
    { name: "Time", value: ({ at }) => at, show: ({ at }) => <When at={at} brief /> },
  ];
}

/** The prompt or name, linked to the result. */
function Title({ of: { href, title, note, tracker } }: { of: Entry }) {
  return (
    <>
      <a class="tasks-question" href={href} title={title}>
        {title}
      </a>
      {note && <span class="faint">{note}</span>}
      {tracker && (
        <a class="faint" href={addressOf(["trackers", tracker])}>
          {tracker}
        </a>
      )}
    </>
  );
}

function Choose({ of: { id, request, title }, select }: { of: Entry; select: Selection }) {
  if (request?.status !== "FAILED") return null;
  return (
    <input
      type="checkbox"
      class="history-choose"
      aria-label={`Select ${title.slice(0, 80)}`}
      checked={select.chosen.has(id)}
      onChange={(event) => select.set(id, event.currentTarget.checked)}
    />
  );
}

function Why({ of: { reason, why, attempts = 0 } }: { of: Entry }) {
  if (!reason) return null;
  return (
    <>
      <span class="bad" title={why}>
        {reason}
      </span>
      {attempts > 1 && (
        <span class="faint" title={`${attempts} attempts`}>
          {" "}
          ×{attempts}
          <span class="hidden-words"> attempts</span>
        </span>
      )}{" "}
    </>
  );
}

/** The cost, or the maximum cost until it is charged. */
function Cost({ of: { charged, most } }: { of: Entry }) {
  if (charged !== null) return <>{number(charged)}</>;
  return (
    <span class="faint" title="Maximum cost">
      ≤ {number(most)}
    </span>
  );
}
