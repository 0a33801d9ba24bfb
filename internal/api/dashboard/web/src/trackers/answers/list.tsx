// The answers of a tracker, newest first, with the filters of the address.
import { useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { call } from "../../api";
import type { Outcome, TrackedAnswer } from "earshot";
import { choices } from "../../openapi";
import { ChoiceField, DropFilters, Pills, SearchField } from "../../query";
import { route } from "../../state";
import { When } from "../../time";
import { targetLabel } from "../../names";
import { Table, type Column } from "../../table";
import { Button, Copy, counted, Empty, Loading, useLoad } from "../../ui";
import { addressOf, periodOf } from "../address";
import { choicesOf } from "../filters";
import { apiPath, SampleData, type TabProps } from "../pieces";
import { missingReasons, reasonWords } from "../words";
import { OutcomeMark, outcomeName } from "./shown";
import { AnswerPage } from "./view";

export function Answers(props: TabProps) {
  const [id] = props.parts;
  return id ? <AnswerPage {...props} id={id} /> : <AnswerList {...props} />;
}

/** The filters of the address, by the names of the API. */
const filterNames =
  "q brand source target tag outcome reason sweep promptId from to filter counted branded dueFrom dueTo".split(" ");

type Filters = Record<string, string>;

/** Returns the filters of the address. A number of days means the period that the other tabs show. */
export function filtersOf(tracker: TabProps["tracker"]): Filters {
  const { query } = route.value;
  const given: Filters = Object.fromEntries(filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  if (query.days && !given.from && !given.to) ({ from: given.from, to: given.to } = periodOf(tracker));
  return given;
}

function AnswerList({ tracker, panel }: TabProps) {
  const filters = filtersOf(tracker);
  const query = {
    ...filters,
    outcome: filters.outcome as Outcome | undefined,
    promptId: filters.promptId ? Number(filters.promptId) || undefined : undefined,
    counted: filters.counted === "true" || undefined,
    branded: filters.branded === "true" || undefined,
  };
  return (
    <>
      <Line tracker={tracker} panel={panel} of={filters} />
      <Rows
        key={JSON.stringify(query)}
        tracker={tracker.name}
        query={query}
        filtered={Object.keys(filters).filter((name) => name !== "counted" && name !== "branded")}
      />
      <AsCall path={apiPath(tracker.name, "/answers")} query={query} />
    </>
  );
}

function Line({ tracker, panel, of }: Pick<TabProps, "tracker" | "panel"> & { of: Filters }) {
  const { targets, tags } = choicesOf(tracker);
  const unused = (["provider", "country", "surface"] as const).filter((name) => route.value.query[name]);
  const { days } = route.value.query;
  return (
    <>
      <div class="filters" role="group" aria-label="Filters">
        <SearchField name="q" label="Search prompts" maxLength={200} />
        {panel.length > 0 && (
          <ChoiceField
            name="brand"
            all="Any brand"
            values={() => panel.map(({ name }) => name)}
            show={(name) => `Names \u2068${name}\u2069`}
          />
        )}
        <ChoiceField name="target" all="All targets" values={() => targets} show={targetLabel} />
        {tags.length > 0 && <ChoiceField name="tag" all="All tags" values={() => tags} />}
        <ChoiceField name="outcome" all="Any outcome" values={() => choices("Outcome")} show={outcomeName} />
        <ChoiceField name="reason" all="Any reason" values={() => Object.keys(missingReasons)} show={reasonWords} />
        <Pills
          of={{ source: of.source, sweep: of.sweep, promptId: of.promptId, filter: of.filter, ...spanOf(of, days) }}
        />
        <Copy text={location.href} label="Copy link" />
      </div>
      {unused.length > 0 && (
        <p class="faint">
          This list does not use the filter{unused.length > 1 && "s"} {unused.join(" and ")}. Use the target instead.
        </p>
      )}
    </>
  );
}

/** Returns the period of the list. The due dates of sweeps take precedence over the time of asking. */
const spanOf = ({ from, to, dueFrom, dueTo }: Filters, days?: string) =>
  dueFrom || dueTo ? { dueFrom, dueTo } : days ? { days } : { from, to };

function Rows({ tracker, query, filtered }: { tracker: string; query: object; filtered: string[] }) {
  const [pages, setPages] = useState(1);
  const loaded = useLoad(
    async (signal) => {
      const rows: TrackedAnswer[] = [];
      let cursor: string | null | undefined;
      // With a filter, a page may be empty without being the last, so a few more are read at once.
      for (let read = 0; cursor !== null && rows.length < pages * 50 && read < pages + 4; read++) {
        const page: { answers: TrackedAnswer[]; nextCursor: string | null } = await call(
          "GET /v1/trackers/{name}/answers",
          { params: { name: tracker }, query: { ...query, limit: 50, cursor }, signal },
        );
        rows.push(...page.answers);
        cursor = page.nextCursor;
      }
      return { rows, more: cursor !== null };
    },
    [pages],
  );
  const { value } = loaded;
  if (!value) return <Loading of={loaded} lines={8} />;
  return (
    <>
      <Loading of={loaded} />
      <SampleData when={value.rows.some(({ madeUp }) => madeUp)} />
      {!value.rows.length && !value.more && (
        <Empty title={filtered.length ? "No answers match these filters" : "No answers yet"}>
          {filtered.length > 0 && <DropFilters names={filtered} />}
        </Empty>
      )}
      {value.rows.length > 0 && (
        <section class="card answer-list" data-testid="answers">
          <Table label="Answers" rows={value.rows} columns={columns(tracker)} rowKey={({ id }) => id} />
        </section>
      )}
      <p class="faint">
        {counted(value.rows.length, "answer")}
        {value.more && " loaded"}{" "}
        {value.more && (
          <Button
            text={value.rows.length ? "Load more" : "Search older answers"}
            onClick={() => setPages(pages + 1)}
            data-testid="more"
          />
        )}
      </p>
    </>
  );
}

const columns = (tracker: string): Column<TrackedAnswer>[] => [
  {
    name: "Prompt",
    value: ({ prompt }) => prompt,
    show: ({ id, prompt }) => <a href={addressOf(tracker, "answers", {}, id)}>{prompt}</a>,
    wide: true,
  },
  { name: "Target", value: ({ target }) => targetLabel(target) },
  { name: "Outcome", value: ({ outcome }) => outcome, show: (row) => <OutcomeMark of={row} /> },
  { name: "Sample", value: ({ sample }) => sample, numeric: true },
  {
    name: "Model",
    value: ({ model }) => model,
    show: ({ model, surface }) => (
      <>
        {model || <span class="faint">Unknown</span>} {surface && <span class="badge">{surface}</span>}
      </>
    ),
  },
  {
    name: "Time",
    value: ({ askedAt }) => askedAt,
    show: ({ askedAt, sweep }) => (
      <a href={addressOf(tracker, "answers", { sweep })} title="All answers of this sweep">
        <When at={askedAt} brief />
      </a>
    ),
  },
];
