// The answers of a tracker, newest first, narrowed by what the address says.
import { useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { call } from "../../api";
import type { Outcome, TrackedAnswer } from "../../api.gen";
import { choices } from "../../openapi";
import { ChoiceField, DropFilters, Pills, SearchField } from "../../query";
import { addressOf as pageAddress, route } from "../../state";
import { Button, Copy, counted, Empty, Table, type Column, useLoad, When } from "../../ui";
import { addressOf, keptFilters, periodOf } from "../address";
import { choicesOf } from "../filters";
import { Failed, MadeUp, Skeleton } from "../pieces";
import type { TabProps } from "../pieces";
import { OutcomeMark } from "./shown";
import { AnswerPage } from "./view";

export function Answers(props: TabProps) {
  const [id] = props.parts;
  return id ? <AnswerPage {...props} id={id} /> : <AnswerList {...props} />;
}

/** The filters of the API that the address may hold. */
const names = [
  "q",
  "brand",
  "target",
  "tag",
  "outcome",
  "reason",
  "sweep",
  "promptId",
  "from",
  "to",
  "filter",
  "counted",
  "branded",
  "dueFrom",
  "dueTo",
] as const;
const reasons = [
  "blocked",
  "timeout",
  "unavailable",
  "unreadable",
  "empty",
  "credits",
  "canceled",
  "expired",
  "failed",
];

type Filters = Partial<Record<(typeof names)[number], string>>;

/** What the address asks for. A number of days is the period that the other tabs show. */
export function filtersOf(tracker: TabProps["tracker"]): Filters {
  const { query } = route.value;
  const given: Filters = Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
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
      <AsCall path={`/v1/trackers/${encodeURIComponent(tracker.name)}/answers`} query={query} />
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
        <SearchField name="q" label="Search questions" maxLength={200} />
        {panel.length > 0 && (
          <ChoiceField
            name="brand"
            all="Any brand"
            values={() => panel.map(({ name }) => name)}
            show={(name) => `names ${name}`}
          />
        )}
        <ChoiceField name="target" all="All targets" values={() => targets} />
        {tags.length > 0 && <ChoiceField name="tag" all="All tags" values={() => tags} />}
        <ChoiceField name="outcome" all="Any outcome" values={() => choices("Outcome")} />
        <ChoiceField name="reason" all="Any reason" values={() => reasons} />
        <Pills
          of={{ sweep: of.sweep, promptId: of.promptId, filter: of.filter, ...spanOf(of, days) }}
          names={{ promptId: "question", dueFrom: "sweeps from", dueTo: "sweeps before" }}
        />
        <Copy text={location.href} label="Copy the address" />
      </div>
      {unused.length > 0 && (
        <p class="faint">
          Answers are listed by target: {unused.join(" and ")} of the other tabs
          {unused.length === 1 ? " does" : " do"} not narrow this list.
        </p>
      )}
    </>
  );
}

/**
 * The days that the list is of. Where sweeps are picked by when they were due, when they were asked follows from
 * that.
 */
const spanOf = ({ from, to, dueFrom, dueTo }: Filters, days?: string) =>
  dueFrom || dueTo ? { dueFrom, dueTo } : days ? { days } : { from, to };

function Rows({ tracker, query, filtered }: { tracker: string; query: object; filtered: string[] }) {
  const [pages, setPages] = useState(1);
  const { value, error, again } = useLoad(
    async (signal) => {
      const rows: TrackedAnswer[] = [];
      let cursor: string | null | undefined;
      // A page with a filter may be empty and not the last, so a few more are read at once.
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
  if (!value) return error ? <Failed error={error} again={again} /> : <Skeleton lines={8} label="Loading answers" />;
  return (
    <>
      <Failed error={error} again={again} stale />
      <MadeUp when={value.rows.some(({ madeUp }) => madeUp)} />
      {!value.rows.length && !value.more && (
        <Empty title={filtered.length ? "No answer is like that" : "No answers yet"}>
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
        {value.more && " so far"}{" "}
        {value.more && (
          <Button
            text={value.rows.length ? "Load more" : "Look further"}
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
    name: "Question",
    value: ({ prompt }) => prompt,
    show: ({ id, prompt }) => <a href={addressOf(tracker, "answers", keptFilters(), id)}>{prompt}</a>,
    wide: true,
  },
  { name: "Target", value: ({ target }) => target },
  { name: "Outcome", value: ({ outcome }) => outcome, show: (row) => <OutcomeMark of={row} /> },
  { name: "Sample", value: ({ sample }) => sample, numeric: true },
  {
    name: "Model",
    value: ({ model }) => model,
    show: ({ model, surface }) => (
      <>
        {model || <span class="faint">not told</span>} {surface && <span class="badge">{surface}</span>}
      </>
    ),
  },
  {
    name: "Asked at",
    value: ({ askedAt }) => askedAt,
    show: ({ askedAt, sweep }) => (
      <a href={pageAddress(["trackers", tracker, "answers"], { sweep })} title="All answers of its sweep">
        <When at={askedAt} />
      </a>
    ),
  },
];
