// The live list of tasks.
import { signal } from "@preact/signals";
import { call } from "../api";
import type { Status, TaskCredits, TaskRecord, TaskType } from "../api.gen";
import { choices } from "../openapi";
import { countryName } from "../state";
import { Empty, number, Problem, Spinner, Table, When, type Column } from "../ui";
import { useLivePages } from "./live";
import { countryOf, explain, Filter, inWords, question, span, State } from "./pieces";

/** The filters outlive the view, so that whoever comes back from a task finds the same list. */
interface Filters { status?: Status; taskType?: TaskType }
const filters = signal<Filters>({});

export function List() {
  const { status, taskType } = filters.value;
  return (
    <>
      <div class="row tasks-filters">
        <Filter label="State" value={status} choices={() => choices("Status")} onChange={(value) => (filters.value = { status: value, taskType })} />
        <Filter label="Task type" value={taskType} choices={() => choices("TaskType")} onChange={(value) => (filters.value = { status, taskType: value })} />
      </div>
      <Rows key={`${status}/${taskType}`} filters={filters.value} />
    </>
  );
}

const columns: Column<TaskRecord>[] = [
  { name: "State", value: ({ task }) => task.status, show: ({ task, error }) => <State of={task.status} why={explain(error)} /> },
  { name: "Question", value: ({ task }) => question(task.payload), show: ({ task }) => <span class="tasks-question" title={question(task.payload)}>{question(task.payload)}</span>, wide: true },
  { name: "Task type", value: ({ task }) => inWords(task.taskType) },
  { name: "Country", value: ({ task }) => countryOf(task.payload), show: ({ task }) => <Country code={countryOf(task.payload)} /> },
  { name: "Priority", value: ({ task }) => task.priority, numeric: true },
  { name: "Attempts", value: ({ task }) => task.attempts, numeric: true },
  { name: "Cost", value: ({ credits }) => credits.creditsCharged ?? credits.creditsToCharge, show: ({ credits }) => <Cost of={credits} />, numeric: true },
  { name: "Took", value: ({ task }) => task.latencyMs, show: ({ task }) => span(task.latencyMs), numeric: true },
  { name: "Created", value: ({ task }) => task.createdAt, show: ({ task }) => <When at={task.createdAt} /> },
];

function Country({ code }: { code: string }) {
  if (!code) return <span class="faint">–</span>;
  return <abbr title={countryName(code.toUpperCase())}>{code.toUpperCase()}</abbr>;
}

/** What a task did cost, or the most that it can. */
function Cost({ of: { creditsCharged, creditsToCharge } }: { of: TaskCredits }) {
  if (creditsCharged !== null) return <>{number(creditsCharged)}</>;
  return <span class="faint" title="The most that it can cost">≤ {number(creditsToCharge)}</span>;
}

function Rows({ filters }: { filters: Filters }) {
  const { rows, error, more } = useLivePages(async (cursor, signal) => {
    const { tasks, nextCursor } = await call("GET /v1/async/tasks", { query: { ...filters, cursor }, signal });
    return { rows: tasks, nextCursor };
  });
  const filtered = Object.values(filters).some(Boolean);
  return (
    <>
      <Problem error={error} />
      {!rows && !error && <Spinner />}
      {rows?.length === 0 && (filtered
        ? <Empty title="No task is like that">Choose other filters, or all.</Empty>
        : <Empty title="No tasks yet"><a href="#/tasks/batch">Submit a batch</a>, or send one with <code>POST /v1/async/task</code>; finished tasks stay for a while.</Empty>)}
      {!!rows?.length && (
        <div class="card tasks-table" data-testid="tasks">
          <Table label="Tasks" rows={rows} columns={columns} rowKey={({ task }) => task.id} onOpen={({ task }) => (location.hash = `#/tasks/${task.id}`)} />
        </div>
      )}
      {more && <p><button type="button" onClick={more} data-testid="more">Load more</button></p>}
    </>
  );
}
