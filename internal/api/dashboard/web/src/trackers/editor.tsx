// The editor of a tracker's settings, as a form or as YAML, with a preview of the changes.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { ApiError, call } from "../api";
import type { Tracker, TrackerApplied, TrackerCost, TrackerDefinition, VersionDetails } from "earshot";
import { timeText } from "../time";
import { Button, counted, number, Problem, useAction, useLoad, useSettled } from "../ui";
import { DefinitionForm, written } from "./form";
import { idOf } from "./id";
import { apiPath, mayTrack } from "./pieces";
import { problemText } from "./problems";
import { plainText, points } from "./words";
import { nameIn, toYAML } from "./yaml";

/** The settings while they are edited: the YAML, or the values of the form. */
type Draft = { as: "text"; text: string } | { as: "form"; definition: TrackerDefinition };

interface EditorProps {
  start: TrackerDefinition | string;
  /** The tracker that is edited; undefined for a new one. */
  tracker?: Tracker;
  onApplied: (applied: TrackerApplied) => void;
}

/** The draft stays if the tracker changes in the meantime; only the preview is repeated. */
export function Editor({ start, tracker, onApplied }: EditorProps) {
  const [draft, setDraft] = useState<Draft>(
    typeof start === "string" ? { as: "text", text: start } : { as: "form", definition: start },
  );
  const isNew = !tracker;
  const taken = useLoad(
    async (signal) => (isNew ? (await call("GET /v1/trackers", { signal })).trackers.map(({ name }) => name) : []),
    [isNew],
  );
  // Until all IDs are known, an ID might be another tracker's.
  const idFor = ({ name, title = "" }: TrackerDefinition) => name || (taken.value ? idOf(title, taken.value) : "");
  const id = tracker?.name ?? (draft.as === "form" ? idFor(draft.definition) : "");
  const text = draft.as === "text" ? draft.text : toYAML({ ...written(draft.definition), name: id });
  const name = id || nameIn(text);
  const dry = useDryRun(name, text, isNew && draft.as === "form", tracker?.version);
  const [opened] = useState(tracker);
  const [seen, setSeen] = useState(tracker?.etag);
  const apply = useAction(async (ifMatch: string | undefined) => {
    const applied = await call("PUT /v1/trackers/{name}", { params: { name }, yaml: text, ifMatch });
    setSeen(applied.tracker.etag);
    onApplied(applied);
  });
  const known = dry.value?.tracker.definition;
  const problem = apply.error ?? dry.error ?? taken.error;
  const toForm = () => {
    if (draft.as === "text" && known) setDraft({ as: "form", definition: known });
  };
  return (
    <div class="editor">
      <section class="card" aria-label="Settings">
        <div class="title-line">
          <h2>Settings</h2>
          <div class="segments" role="group" aria-label="Edit">
            <Button
              text="Form"
              aria-pressed={draft.as === "form"}
              disabled={draft.as === "text" && !known}
              title="Available once the YAML is valid"
              onClick={toForm}
            />
            <Button text="YAML" aria-pressed={draft.as === "text"} onClick={() => setDraft({ as: "text", text })} />
          </div>
        </div>
        {draft.as === "text" ? (
          <label>
            <span class="faint">
              YAML or JSON, the same file as for <code>earshot tracker apply</code>
            </span>
            <textarea
              class="code"
              rows={Math.min(36, Math.max(14, text.split("\n").length + 1))}
              spellcheck={false}
              value={text}
              aria-invalid={!!dry.error}
              data-testid="definition-text"
              onInput={(event) => setDraft({ as: "text", text: event.currentTarget.value })}
            />
          </label>
        ) : (
          <DefinitionForm
            value={draft.definition}
            id={isNew ? id : undefined}
            problems={problem instanceof ApiError ? problem.fields : []}
            onChange={(definition) => setDraft({ as: "form", definition })}
          />
        )}
      </section>
      <section class="card dry-run" aria-label="Preview" aria-busy={dry.busy}>
        <h2>Preview</h2>
        {!name && <p>Enter a name.</p>}
        {apply.error instanceof ApiError && apply.error.code === "PRECONDITION_FAILED" && (
          <Changed
            error={apply.error}
            start={opened?.definition}
            load={(definition, etag) => {
              setDraft({ as: "form", definition });
              setSeen(etag);
            }}
            overwrite={apply.run}
          />
        )}
        <DryRun error={problem} applied={dry.value} draft={draft} />
        <Button
          text={applyText(dry.value, isNew)}
          class="primary"
          data-testid="apply"
          disabled={apply.busy || dry.busy || !!dry.error || !dry.value?.changed}
          onClick={() => apply.run(seen)}
        />
        <AsCall method="PUT" path={apiPath(name || "NAME")} query={{ dryRun: true }} body={known} />
      </section>
    </div>
  );
}

interface ChangedProps {
  error: ApiError;
  /** The settings when the editor was opened. */
  start?: TrackerDefinition;
  load: (definition: TrackerDefinition, etag: string) => void;
  overwrite: (etag: string) => void;
}

/** Says which settings somebody else has changed meanwhile, and offers both versions. */
function Changed({ error, start, load, overwrite }: ChangedProps) {
  const { etag, current } = error.details as VersionDetails;
  const definition = (current as Tracker | undefined)?.definition;
  if (!definition || !etag) return null;
  const fields = Object.keys({ ...start, ...definition }) as (keyof TrackerDefinition)[];
  const other = fields.filter((field) => JSON.stringify(start?.[field]) !== JSON.stringify(definition[field]));
  return (
    <div role="alert" class="problem" data-testid="changed-meanwhile">
      <p>Somebody else has changed this tracker since you opened it: {other.join(", ") || "its state"}.</p>
      <Button text="Load their version" onClick={() => load(definition, etag)} />{" "}
      <Button text="Save mine over it" onClick={() => overwrite(etag)} />
    </div>
  );
}

/** Asks the server what the settings would change, once typing has paused. */
const useDryRun = (name: string, yaml: string, create: boolean, version?: number) =>
  useSettled<TrackerApplied | undefined>(
    async (signal) => {
      if (!name || !mayTrack()) return undefined;
      const applied = await call("PUT /v1/trackers/{name}", {
        params: { name },
        query: { dryRun: true },
        yaml,
        signal,
      });
      if (create && !applied.created)
        throw new ApiError(409, "VALIDATION_ERROR", "", "", [{ field: "name", message: "is used by another tracker" }]);
      return applied;
    },
    [name, yaml, create, version],
  );

/** Returns the most that a month can cost: the schedule, or the budget if it is lower. */
const monthly = ({ month, ceiling }: TrackerCost) => Math.min(month, ceiling ?? month);

/** Returns the text of the button that applies the settings. A new schedule spends credits, so it says how many. */
function applyText(applied: TrackerApplied | undefined, isNew: boolean): string {
  if (applied && !applied.changed) return "No changes";
  if (!isNew || applied?.created === false) return "Save";
  const most = applied && monthly(applied.tracker.cost);
  return most ? `Create tracker (max. ${counted(most, "credit")} a month)` : "Create tracker";
}

const shownChanges = 40;

/** What would change, what it costs, and what breaks; or what is wrong with the settings. */
function DryRun({ error, applied, draft }: { error: unknown; applied?: TrackerApplied; draft: Draft }) {
  const fields = error instanceof ApiError ? error.fields : [];
  if (fields.length)
    return (
      <div role="alert" class="problem" data-testid="definition-problems">
        <strong>Please correct:</strong>
        <ul>
          {fields.map((problem, i) =>
            draft.as === "text" ? (
              <li key={i}>{problemText(problem)}</li>
            ) : (
              <li key={i}>{problemText({ ...problem, line: undefined }, written(draft.definition))}</li>
            ),
          )}
        </ul>
      </div>
    );
  if (error) return <Problem error={error} />;
  if (!applied) return null;
  const { tracker, precision, changes, breaks } = applied;
  const { cost, nextSweepAt } = tracker;
  return (
    <div data-testid="dry-run">
      <dl class="amounts">
        <dt>Maximum cost per sweep</dt>
        <dd>
          <strong>{counted(cost.sweep, "credit")}</strong>
        </dd>
        <dt>Maximum cost per month</dt>
        <dd>
          {counted(monthly(cost), "credit")}
          {monthly(cost) < cost.month && " (monthly budget)"}
        </dd>
        <dt>Next sweep</dt>
        <dd>{nextSweepAt ? timeText(nextSweepAt) : "Manual only"}</dd>
        <dt>Smallest detectable change in 28 days</dt>
        <dd>
          {precision.smallestChange == null ? "Not enough data yet" : `${points(precision.smallestChange)} points`}
        </dd>
      </dl>
      {breaks.length > 0 && (
        <div class="caution">
          <strong>These changes start a new series:</strong>
          <ul>
            {breaks.map(({ series, reason }, i) => (
              <li key={i}>
                {plainText(series === "*" ? "All" : series)}: {plainText(reason)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <h3>{changes.length ? counted(changes.length, "change") : "No changes"}</h3>
      <ul class="changes">
        {changes.slice(0, shownChanges).map(({ kind, part, what }, i) => (
          <li key={i} class={kind}>
            <span class="badge">{kind}</span> <span class="faint">{part}</span>{" "}
            {part === "prompts" ? what : plainText(what)}
          </li>
        ))}
        {changes.length > shownChanges && <li class="faint">and {number(changes.length - shownChanges)} more</li>}
      </ul>
    </div>
  );
}
