// Writing a definition, as a form or as text, with the dry run beside it.
import { useEffect, useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { ApiError, call } from "../api";
import type { Tracker, TrackerApplied, TrackerDefinition } from "../api.gen";
import { Button, counted, number, Problem } from "../ui";
import { DefinitionForm, written } from "./form";
import { mayTrack } from "./pieces";
import { points } from "./words";
import { nameIn, toYAML } from "./yaml";

/** A definition as it is written: the text, or the parts of a form. */
type Draft = { as: "text"; text: string } | { as: "form"; definition: TrackerDefinition };

interface EditorProps {
  start: TrackerDefinition | string /** A tracker that exists already. */;
  tracker?: Tracker;
  onApplied: (applied: TrackerApplied) => void;
}

/** What is written stays when the tracker changes meanwhile; only the dry run is repeated then. */
export function Editor({ start, tracker, onApplied }: EditorProps) {
  const [draft, setDraft] = useState<Draft>(
    typeof start === "string" ? { as: "text", text: start } : { as: "form", definition: start },
  );
  const text = draft.as === "text" ? draft.text : toYAML(written(draft.definition));
  const name = tracker?.name ?? nameIn(text);
  const dry = useDryRun(name, text, tracker?.version);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const known = dry.applied?.tracker.definition;
  const apply = async () => {
    setBusy(true);
    setError(undefined);
    try {
      onApplied(await call("PUT /v1/trackers/{name}", { params: { name }, yaml: text }));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const problem = error ?? dry.error;
  return (
    <div class="editor">
      <section class="card" aria-label="Definition">
        <div class="title-line">
          <h2>Definition</h2>
          <div class="segments" role="group" aria-label="Edit">
            <Button
              text="As a form"
              aria-pressed={draft.as === "form"}
              disabled={draft.as === "text" && !known}
              title="The form takes over what the text says, once that is right"
              onClick={() => {
                if (draft.as === "text" && known) setDraft({ as: "form", definition: known });
              }}
            />
            <Button text="As text" aria-pressed={draft.as === "text"} onClick={() => setDraft({ as: "text", text })} />
          </div>
        </div>
        {draft.as === "text" ? (
          <label>
            <span class="faint">
              YAML or JSON, as <code>earshot tracker apply</code> takes it
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
            isNew={!tracker}
            problems={problem instanceof ApiError ? problem.fields : []}
            onChange={(definition) => setDraft({ as: "form", definition })}
          />
        )}
      </section>
      <section class="card dry-run" aria-label="Dry run" aria-busy={dry.busy}>
        <h2>What applying it does</h2>
        {!name && <p>Give the tracker a name: 1 to 100 of a to z, 0 to 9, - and _.</p>}
        <DryRun error={problem} applied={dry.applied} />
        <button
          type="button"
          class="primary"
          data-testid="apply"
          disabled={busy || dry.busy || !!dry.error || !dry.applied?.changed}
          onClick={apply}>
          {dry.applied && !dry.applied.changed
            ? "Nothing to apply"
            : dry.applied?.created
              ? "Make the tracker"
              : "Apply"}
        </button>
        <AsCall
          method="PUT"
          path={`/v1/trackers/${encodeURIComponent(name || "NAME")}`}
          query={{ dryRun: true }}
          body={known}
        />
      </section>
    </div>
  );
}

/** Asks the server what a definition would do, when nobody has typed for a moment. */
function useDryRun(name: string, yaml: string, version?: number) {
  const [state, setState] = useState<{ applied?: TrackerApplied; error?: unknown; busy: boolean }>({ busy: true });
  useEffect(() => {
    if (!name || !mayTrack()) {
      setState({ busy: false });
      return;
    }
    const stop = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    const timer = setTimeout(() => {
      call("PUT /v1/trackers/{name}", { params: { name }, query: { dryRun: true }, yaml, signal: stop.signal }).then(
        (applied) => {
          if (!stop.signal.aborted) setState({ applied, busy: false });
        },
        (error) => {
          if (!stop.signal.aborted) setState({ error, busy: false });
        },
      );
    }, 400);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [name, yaml, version]);
  return state;
}

const shownChanges = 40;

/** What would change, what it costs, what breaks, and how precise it will be. */
function DryRun({ error, applied }: { error: unknown; applied?: TrackerApplied }) {
  const fields = error instanceof ApiError ? error.fields : [];
  if (fields.length) {
    return (
      <div role="alert" class="problem" data-testid="definition-problems">
        <strong>{fields.length === 1 ? "One thing is wrong" : `${fields.length} things are wrong`}</strong>
        <ul>
          {fields.map(({ field, message, line }, i) => (
            <li key={i}>
              {line !== undefined && `Line ${line}: `}
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  if (error) return <Problem error={error} />;
  if (!applied) return null;
  const {
    tracker: { cost, nextSweepAt },
    precision,
    changes,
    breaks,
  } = applied;
  return (
    <div data-testid="dry-run">
      <dl class="amounts">
        <dt>A sweep costs at most</dt>
        <dd>
          <strong>{counted(cost.sweep, "credit")}</strong>
        </dd>
        <dt>A month costs at most</dt>
        <dd>
          {counted(cost.ceiling == null ? cost.month : Math.min(cost.month, cost.ceiling), "credit")}
          {cost.ceiling != null && cost.ceiling < cost.month && ", by the ceiling"}
        </dd>
        <dt>Next sweep</dt>
        <dd>
          {nextSweepAt
            ? new Date(nextSweepAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })
            : "only by hand"}
        </dd>
        <dt>Smallest change that 28 days show</dt>
        <dd>
          {precision.smallestChange == null ? "too few sweeps to tell" : `${points(precision.smallestChange)} points`}
        </dd>
      </dl>
      {breaks.length > 0 && (
        <div class="caution">
          <strong>Series break.</strong>
          <ul>
            {breaks.map(({ series, reason }, i) => (
              <li key={i}>
                {series === "*" ? "All" : series}: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
      <h3>
        {changes.length
          ? `${number(changes.length)} ${changes.length === 1 ? "change" : "changes"}`
          : "Nothing changes"}
      </h3>
      <ul class="changes">
        {changes.slice(0, shownChanges).map(({ kind, part, what }, i) => (
          <li key={i} class={kind}>
            <span class="badge">{kind}</span> <span class="faint">{part}</span> {what}
          </li>
        ))}
        {changes.length > shownChanges && <li class="faint">and {number(changes.length - shownChanges)} more</li>}
      </ul>
    </div>
  );
}
