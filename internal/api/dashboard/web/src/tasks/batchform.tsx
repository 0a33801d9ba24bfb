// The form of a batch: whom to ask what, and from where.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { follow, openAPI, providers, type OpenAPI, type Provider } from "../openapi";
import { textOf } from "../file";
import { countries, countryName } from "../state";
import { Button, Problem, Spinner, useLoad } from "../ui";
import { Preview, type Draft } from "./batchpreview";

/** The draft outlives the view, so that a look at another page costs no typing. */
const draft = signal<Draft>({ taskType: "", country: "", priority: "", webhook: "", text: "", file: "", again: "" });
const change = (fields: Partial<Draft>) => (draft.value = { ...draft.value, ...fields });

/** The server takes 8 MiB of JSON. */
const maxFileSize = 7 << 20;

export function BatchForm() {
  const loaded = useLoad(async () => ({ api: await openAPI(), all: await providers() }), []);
  if (!loaded.value) return loaded.error ? <Problem error={loaded.error} /> : <Spinner />;
  const { api, all } = loaded.value;
  const provider = all.find(({ taskType }) => taskType === draft.value.taskType) ?? all[0];
  if (!draft.value.taskType) change(startWith(provider));
  return (
    <div class="grid two">
      <form class="card" aria-label="Batch" onSubmit={(event) => event.preventDefault()}>
        <label>
          Ask
          <select
            id="batch-type"
            value={provider.taskType}
            onChange={(event) =>
              change(startWith(all.find(({ taskType }) => taskType === event.currentTarget.value)!))
            }>
            {all.map(({ taskType, name, summary }) => (
              <option key={taskType} value={taskType}>
                {name} – {summary}
              </option>
            ))}
          </select>
        </label>
        <Prompts />
        <Country provider={provider} />
        <Rest api={api} />
      </form>
      <Preview draft={draft.value} provider={provider} />
    </div>
  );
}

const startWith = ({ taskType }: Provider) => ({ taskType });

/** Prompts as lines, or a file in their place. */
function Prompts() {
  const [error, setError] = useState<unknown>();
  const [over, setOver] = useState(false);
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > maxFileSize)
      return setError(
        new Error(
          `${file.name} is too large; split it into files of at most ${maxFileSize >> 20} MB, or use the command line.`,
        ),
      );
    setError(undefined);
    change({ file: file.name, text: await textOf(file) });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer?.files[0]);
  };
  return (
    <div
      class={over ? "drop over" : "drop"}
      data-testid="drop"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}>
      {draft.value.file ? (
        <div class="field chosen">
          <span>
            From the file <strong data-testid="file-name">{draft.value.file}</strong>
          </span>
          <Button text="Remove" class="small" onClick={() => change({ file: "", text: "" })} />
        </div>
      ) : (
        <label>
          Prompts, one a line
          <textarea
            id="batch-lines"
            rows={8}
            value={draft.value.text}
            onInput={(event) => change({ text: event.currentTarget.value })}
            placeholder={"Which trail running shoes last longest?\nBest headphones for flights"}
          />
        </label>
      )}
      <label class="file">
        Or drop a CSV or NDJSON file here, or choose one
        <input
          id="batch-file"
          type="file"
          accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv,text/plain"
          onChange={(event) => {
            void take(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
      </label>
      <p class="faint">
        The head of the file names fields of the request, such as <code>provider</code>, <code>prompt</code>,{" "}
        <code>country</code>, <code>include.markdown</code> or <code>priority</code>; NDJSON has the same names. The
        command line reads the same files, and nothing is paid twice. Without a head, every line is a prompt.
      </p>
      <Problem error={error} />
    </div>
  );
}

function Country({ provider }: { provider: Provider }) {
  const { value = [] } = useLoad(() => countries(provider.name), [provider.name]);
  const { country } = draft.value;
  const optional = !provider.schema.required?.includes("country");
  const named = [...new Set([...value, ...(country ? [country] : [])])]
    .map((code) => ({ code, name: countryName(code) }))
    .sort((a, b) => a.name.localeCompare(b.name));
  return (
    <label>
      Country, for rows that name none
      <select id="batch-country" value={country} onChange={(event) => change({ country: event.currentTarget.value })}>
        <option value="">{optional ? "None" : draft.value.file ? "Every row names its own" : "Choose…"}</option>
        {named.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      {!optional && !country && !draft.value.file && (
        <span class="faint">Needed: answers differ from country to country.</span>
      )}
    </label>
  );
}

function Rest({ api }: { api: OpenAPI }) {
  const { priority, webhook, again } = draft.value;
  const {
    minimum,
    maximum,
    default: initial,
    description,
  } = follow(api, api.components.schemas.TaskRequest.properties?.priority);
  return (
    <>
      <label>
        Priority
        <input
          id="batch-priority"
          type="number"
          min={minimum}
          max={maximum}
          placeholder={String(initial)}
          value={priority}
          onInput={(event) => change({ priority: event.currentTarget.value })}
        />
        <span class="faint">
          {minimum} to {maximum}. {description}
        </span>
      </label>
      <label>
        Webhook, if you want one
        <input
          id="batch-webhook"
          type="url"
          placeholder="https://"
          value={webhook}
          onInput={(event) => change({ webhook: event.currentTarget.value.trim() })}
        />
      </label>
      <label class="inline">
        <input
          id="batch-again"
          type="checkbox"
          checked={!!again}
          onChange={(event) => change({ again: event.currentTarget.checked ? new Date().toISOString() : "" })}
        />
        Queue rows again that were submitted before
      </label>
    </>
  );
}
