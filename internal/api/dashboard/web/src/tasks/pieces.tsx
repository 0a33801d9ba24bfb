// Components and functions that the views of tasks share.
import type { Payload } from "../api";
import type { DeliveryState, Error as TaskError, Status } from "earshot";
import { fieldLabel } from "../names";
import { counted, number, Select, useLoad } from "../ui";

const looks: Record<Status | DeliveryState, string> = {
  QUEUED: "",
  COMPLETED: "good",
  delivered: "good",
  FAILED: "bad",
  failed: "bad",
  PROCESSING: "warn",
  pending: "warn",
};

const stateNames: Record<string, string> = { PROCESSING: "Running", closed: "Completed" };

/** Returns a state in words: Running for PROCESSING, Queued for QUEUED. */
export function stateName(state: string): string {
  if (Object.hasOwn(stateNames, state)) return stateNames[state];
  return state.charAt(0).toUpperCase() + state.slice(1).toLowerCase();
}

export const State = ({ of, why }: { of: Status | DeliveryState; why?: string }) => (
  <span class={`badge ${looks[of]}`} title={why} data-testid="state">
    {stateName(of)}
  </span>
);

export interface BadRow {
  line: number;
  message: string;
  question?: string;
}

const firstRows = 100;

type BadRowsProps = { of: BadRow[]; state: string; testid: string };

/** The first invalid or rejected rows of a batch, by their lines. */
export function BadRows({ of: rows, state, testid }: BadRowsProps) {
  if (!rows.length) return null;
  return (
    <details class="tasks-faults" open data-testid={testid}>
      <summary class="bad">
        {counted(rows.length, "row")} {state}
      </summary>
      <ul>
        {rows.slice(0, firstRows).map(({ line, message, question = "" }) => (
          <li key={line}>
            Line {line}: {message} <span class="faint">{question.slice(0, 80)}</span>
          </li>
        ))}
      </ul>
      {rows.length > firstRows && <p class="faint">and {number(rows.length - firstRows)} more</p>}
    </details>
  );
}

interface FilterProps<Choice extends string> {
  label: string;
  value: Choice | undefined;
  choices: () => Promise<Choice[]>;
  onChange: (value: Choice | undefined) => void;
}

/** A filter with the values of an enum. */
export function Filter<Choice extends string>({ label, value, choices, onChange }: FilterProps<Choice>) {
  const all = useLoad(choices, []).value ?? (value ? [value] : []);
  const id = `filter-${label.toLowerCase().replace(" ", "-")}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Select
        id={id}
        all="All"
        value={value ?? ""}
        options={all.map((choice) => [choice, stateName(choice)])}
        onChoose={(chosen) => onChange(all.find((choice) => choice === chosen))}
      />
    </div>
  );
}

/** Returns an error code in words: RATE_LIMIT_EXCEEDED as rate limit exceeded. */
export const inWords = (name: string) => name.toLowerCase().replaceAll("_", " ");

/** Returns the prompt or query of a task. */
export function question(payload: Payload): string {
  return String(payload.prompt ?? payload.query ?? payload.url ?? "");
}

/** Returns the country code of a task, or "". */
export const countryOf = ({ country, gl }: Payload) => String(country ?? gl ?? "");

/** Returns the message of an error, with the problems of its fields. */
export function explain(error: TaskError | undefined): string {
  if (!error) return "";
  if (error.code !== "VALIDATION_ERROR" || !Array.isArray(error.details)) return error.message;
  return error.details.map(({ field, message }) => `${fieldLabel(field)} ${message}`).join("; ");
}

/** Returns a duration in words: 35 ms, 3.9 s, 2 min 5 s, 1 h 3 min. */
export function span(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return "–";
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
