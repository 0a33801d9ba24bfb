// The form of a batch: prompts, platform and country.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { follow, openAPI, providers, type OpenAPI, type Provider } from "../openapi";
import { textOf } from "../file";
import { productName } from "../names";
import { countries, countryOptions } from "../state";
import { Button, Problem, Select, Spinner, useLoad } from "../ui";
import { Preview, type Draft } from "./batchpreview";

/** The draft is kept when the user visits another page. */
const draft = signal<Draft>({ taskType: "", country: "", priority: "", webhook: "", text: "", file: "", again: "" });
const change = (fields: Partial<Draft>) => (draft.value = { ...draft.value, ...fields });

/** The server accepts 8 MiB of JSON. */
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
          Platform
          <Select
            id="batch-type"
            value={provider.taskType}
            options={all.map(({ taskType, name }) => [taskType, productName(name)])}
            onChoose={(chosen) => change(startWith(all.find(({ taskType }) => taskType === chosen)!))}
          />
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

/** The prompts: typed lines, or a file. */
function Prompts() {
  const [error, setError] = useState<unknown>();
  const [over, setOver] = useState(false);
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > maxFileSize)
      return setError(new Error(`${file.name} is too large. Split it into files of up to ${maxFileSize >> 20} MB.`));
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
            File: <strong data-testid="file-name">{draft.value.file}</strong>
          </span>
          <Button text="Remove" class="small" onClick={() => change({ file: "", text: "" })} />
        </div>
      ) : (
        <label>
          Prompts (one per line)
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
        Or choose or drop a CSV or NDJSON file
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
        Columns are request fields: <code>prompt</code>, <code>country</code>, <code>priority</code>,{" "}
        <code>include.markdown</code>, … Without a header row, every line is a prompt. The command line reads the same
        files.
      </p>
      <Problem error={error} />
    </div>
  );
}

function Country({ provider }: { provider: Provider }) {
  const { value = [] } = useLoad(() => countries(provider.name), [provider.name]);
  const { country } = draft.value;
  const optional = !provider.schema.required?.includes("country");
  return (
    <label>
      Country for rows without one
      <Select
        id="batch-country"
        all={optional ? "None" : draft.value.file ? "Set in each row" : "Choose…"}
        value={country}
        options={countryOptions(value)}
        onChoose={(country) => change({ country })}
      />
      {!optional && !country && !draft.value.file && <span class="faint">Required</span>}
    </label>
  );
}

function Rest({ api }: { api: OpenAPI }) {
  const { priority, webhook, again } = draft.value;
  const schema = follow(api, api.components.schemas.TaskRequest.properties?.priority);
  const { minimum, maximum, default: initial, description } = schema;
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
          {minimum}–{maximum}. {description}
        </span>
      </label>
      <label>
        Webhook URL (optional)
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
        Resubmit rows that were submitted before
      </label>
    </>
  );
}
