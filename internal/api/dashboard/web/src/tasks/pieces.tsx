// Small pieces of the views of tasks: states, filters, and values in words.
import type { Payload } from "../api";
import type { DeliveryState, Error as TaskError, Status } from "../api.gen";
import { counted, number, useLoad } from "../ui";

const looks: Record<Status | DeliveryState, string> = {
  QUEUED: "",
  COMPLETED: "good",
  delivered: "good",
  FAILED: "bad",
  failed: "bad",
  PROCESSING: "warn",
  pending: "warn",
};

export function State({ of, why }: { of: Status | DeliveryState; why?: string }) {
  return (
    <span class={`badge ${looks[of]}`} title={why} data-testid="state">
      {of.toLowerCase()}
    </span>
  );
}

export interface BadRow {
  line: number;
  message: string;
  question?: string;
}

const firstRows = 100;

type BadRowsProps = { of: BadRow[]; state: [one: string, many: string]; testid: string };

/** Rows of a batch that something is wrong with, the first of them by their lines. */
export function BadRows({ of: rows, state, testid }: BadRowsProps) {
  if (!rows.length) return null;
  return (
    <details class="tasks-faults" open data-testid={testid}>
      <summary class="bad">
        {counted(rows.length, "row")} {state[rows.length === 1 ? 0 : 1]}
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

/** A filter whose choices the API's description names. */
export function Filter<Choice extends string>({ label, value, choices, onChange }: FilterProps<Choice>) {
  const all = useLoad(choices, []).value ?? (value ? [value] : []);
  const id = `filter-${label.toLowerCase().replace(" ", "-")}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value ?? ""}
        onChange={(event) => onChange(all.find((choice) => choice === event.currentTarget.value))}>
        <option value="">All</option>
        {all.map((choice) => (
          <option key={choice} value={choice}>
            {inWords(choice)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A name of the API for people: WEBSEARCH_NEWS as websearch news. */
export const inWords = (name: string) => name.toLowerCase().replace("_", " ");

/** What a task asks, whichever field its provider has for it. */
export function question(payload: Payload): string {
  return String(payload.prompt ?? payload.query ?? payload.url ?? "");
}

/** The code of the country that a task asks from, "" when it names none. */
export const countryOf = ({ country, gl }: Payload) => String(country ?? gl ?? "");

/** An error's message with the faulty fields it names. */
export function explain(error: TaskError | undefined): string {
  if (!error) return "";
  if (error.code !== "VALIDATION_ERROR" || !Array.isArray(error.details)) return error.message;
  return error.details
    .map(({ field, message }) => `${field.replace(/^(payload\.|row$)/, "")} ${message}`.trim())
    .join("; ");
}

/** A span of time for people: 35 ms, 3.9 s, 2 min 5 s, 1 h 3 min. */
export function span(ms: number | null | undefined): string {
  if (ms == null || !Number.isFinite(ms)) return "–";
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
