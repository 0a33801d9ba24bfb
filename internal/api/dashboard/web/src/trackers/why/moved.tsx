// The targets or prompts of a change, which can be sorted by it.
import type { ComparedRow } from "../../api.gen";
import { targetLabel } from "../../names";
import { route } from "../../state";
import { Table, type Column } from "../../table";
import { number } from "../../ui";
import { addressOf, whyAddress } from "../address";
import { Delta, Value, type PanelBrand } from "../pieces";
import { verdictWords } from "../words";

interface MovedProps {
  title: string;
  of: "target" | "prompt";
  rows: ComparedRow[];
  total?: number;
  brand: PanelBrand;
}

export function Moved({ title, of, rows, total = rows.length, brand }: MovedProps) {
  const grey = (row: ComparedRow) => (row.verdict === "moved" ? undefined : "faint");
  const share = (name: "before" | "after"): Column<ComparedRow> => ({
    name: name === "before" ? "Before" : "After",
    value: (row) => row[name],
    show: (row) => (
      <span class={grey(row)}>
        <Value of={row[name]} />
      </span>
    ),
    numeric: true,
  });
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
            <a
              href={addressOf(route.value.rest[0], "why", { ...route.value.query, pair: String(row.promptId), on: "" })}
              onClick={() => document.querySelector("[data-testid=pair]")?.scrollIntoView()}>
              {row.prompt}
            </a>
          ),
          wide: true,
        },
    share("before"),
    share("after"),
    {
      name: "Change",
      value: ({ change }) => change,
      show: (row) => <Delta row={row} own={brand.own} />,
      numeric: true,
    },
    { name: "Verdict", value: verdictWords, show: (row) => <span class={grey(row)}>{verdictWords(row)}</span> },
  ];
  return (
    <section class="card" aria-label={title} data-testid={`why-${of}s`}>
      <h2>{title}</h2>
      <p class="faint">
        {rows.length < total && `The ${rows.length} of ${number(total)} prompts that changed most. `}
        Grey changes are within normal variation.{" "}
        {of === "prompt" && "About 1 in 20 of the prompts that moved has not changed. Select a prompt to read answers."}
      </p>
      <Table label={title} rows={rows} columns={columns} rowKey={({ target, promptId }) => `${target} ${promptId}`} />
    </section>
  );
}
