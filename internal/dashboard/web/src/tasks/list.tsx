// The live list of tasks.
import { signal } from "@preact/signals";
import { choices, countryName } from "../state";
import { Empty, number, Problem, Spinner, Table, When, type Column } from "../ui";
import { useLivePages } from "./live";
import { Filter, State } from "./badge";
import { explain, question, span, type TaskRecord } from "./types";

/** The filters outlive the view, so that whoever comes back from a task finds the same list. */
const filters = signal({ status: "", taskType: "" });

export function List() {
  const { status, taskType } = filters.value;
  return (
    <>
      <div class="row tasks-filters">
        <Filter label="State" value={status} choices={() => choices("TaskStatus")} onChange={(value) => (filters.value = { status: value, taskType })} />
        <Filter label="Task type" value={taskType} choices={() => choices("TaskType")} onChange={(value) => (filters.value = { status, taskType: value })} />
      </div>
      <Rows key={`${status}/${taskType}`} filters={filters.value} />
    </>
  );
}

const columns: Column<TaskRecord>[] = [
  { name: "State", value: ({ task }) => task.status, show: ({ task, error }) => <State of={task.status} why={explain(error)} /> },
  { name: "Question", value: ({ task }) => question(task.payload), show: ({ task }) => <span class="tasks-question">{question(task.payload)}</span> },
  { name: "Task type", value: ({ task }) => task.taskType.toLowerCase().replace("_", " ") },
  { name: "Country", value: ({ task }) => task.payload.country ?? task.payload.gl, show: ({ task }) => <Country code={task.payload.country ?? task.payload.gl} /> },
  { name: "Priority", value: ({ task }) => task.priority, numeric: true },
  { name: "Attempts", value: ({ task }) => task.attempts, numeric: true },
  { name: "Cost", value: ({ credits }) => credits.creditsCharged ?? credits.creditsToCharge, show: ({ credits }) => <Cost of={credits} />, numeric: true },
  { name: "Took", value: ({ task }) => task.latencyMs, show: ({ task }) => span(task.latencyMs), numeric: true },
  { name: "Created", value: ({ task }) => task.createdAt, show: ({ task }) => <When at={task.createdAt} /> },
];

function Country({ code }: { code?: string }) {
  if (typeof code !== "string") return <span class="faint">–</span>;
  return <abbr title={countryName(code.toUpperCase())}>{code.toUpperCase()}</abbr>;
}

/** What a task did cost, or the most that it can. */
function Cost({ of: { creditsCharged, creditsToCharge } }: { of: TaskRecord["credits"] }) {
  if (creditsCharged !== null) return <>{number(creditsCharged)}</>;
  return <span class="faint" title="The most that it can cost">≤ {number(creditsToCharge)}</span>;
}

function Rows({ filters }: { filters: Record<string, string> }) {
  const { rows, error, more } = useLivePages<TaskRecord>("v1/async/tasks", "tasks", filters);
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
