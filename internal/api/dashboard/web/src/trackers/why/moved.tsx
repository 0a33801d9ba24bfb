// The targets or prompts of a change, which can be sorted by it.
import type { ComparedRow } from "earshot";
import { targetLabel } from "../../names";
import { route } from "../../state";
import { Table, type Column } from "../../table";
import { number } from "../../ui";
import { addressOf, whyAddress } from "../address";
import { Delta, useFirst, Value, type PanelBrand } from "../pieces";

type MovedProps = { of: "target" | "prompt"; rows: ComparedRow[]; total: number; brand: PanelBrand };

const firstRows = 10;

/** The rows that changed most, the largest change first until another order is chosen. */
export function Moved({ of, rows, total, brand }: MovedProps) {
  const [shown, more] = useFirst(rows, firstRows);
  const title = of === "target" ? "Targets" : "Prompts";
  const share = (name: string, of: (row: ComparedRow) => number | null): Column<ComparedRow> => ({
    name,
    value: of,
    show: (row) => (
      <span class={row.verdict === "moved" ? undefined : "faint"}>
        <Value of={of(row)} />
      </span>
    ),
    numeric: true,
  });
  const answersOf = ({ promptId }: ComparedRow) =>
    addressOf(route.value.rest[0], "why", { ...route.value.query, pair: String(promptId), on: "" });
  const showAnswers = () => document.querySelector("[data-testid=pair]")?.scrollIntoView();
  const columns: Column<ComparedRow>[] = [
    of === "target"
      ? {
          name: "Target",
          value: ({ target }) => targetLabel(target),
          show: (row) => <a href={whyAddress(row)}>{targetLabel(row.target)}</a>,
        }
      : {
          name: "Prompt",
          value: ({ prompt }) => prompt,
          show: (row) => (
            <a href={answersOf(row)} onClick={showAnswers}>
              {row.prompt}
            </a>
          ),
        },
    share("Before", ({ before }) => before),
    share("After", ({ after }) => after),
    { name: "Change (points)", value: ({ change }) => change, show: (row) => <Delta row={row} own={brand.own} /> },
  ];
  return (
    <section class="card" aria-label={title} data-testid={`why-${of}s`}>
      <h2>{title}</h2>
      <p class="faint">
        {shown.length < total && `The ${shown.length} of ${number(total)} ${of}s that changed most. `}
        Grey changes are within normal variation.{" "}
        {of === "prompt" && "About 1 in 20 of the prompts that moved has not changed. Select a prompt to read answers."}
      </p>
      <Table label={title} rows={shown} columns={columns} rowKey={({ target, promptId }) => `${target} ${promptId}`} />
      {more}
    </section>
  );
}
