// "Try it": the request as a form, sent to this server.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { follow, type OpenAPI } from "../openapi";
import { key } from "../session";
import { Button, CodeBox, Problem, Select, Spinner, Tabs } from "../ui";
import { pretty, type Operation, type Parameter } from "./model";
import { initialValues, parsed, snippets, type Filled } from "./request";
import { readable, send, type Received } from "./send";

export function TryIt({ api, operation }: { api: OpenAPI; operation: Operation }) {
  const examples = operation.body?.examples ?? [];
  const [filled, setFilled] = useState<Filled>({ values: initialValues(operation), body: pretty(examples[0]?.value) });
  const [typed, setTyped] = useState("");
  const { busy, received, error, start, stop } = useSending();
  const id = useId();
  const body = operation.body ? parsed(filled.body) : {};
  const submit = (event: Event) => {
    event.preventDefault();
    if (!body.wrong && !busy) start((signal, show) => send(operation, filled, typed, signal, show));
  };
  const setValue = (name: string, value: string) =>
    setFilled({ ...filled, values: { ...filled.values, [name]: value } });
  return (
    <section class="card try" aria-label="Try it">
      <h2>Try it</h2>
      <form onSubmit={submit}>
        <div class="try-fields">
          {operation.parameters
            .filter(({ in: place }) => place === "path" || place === "query")
            .map((parameter) => (
              <Field
                key={parameter.name}
                api={api}
                parameter={parameter}
                value={filled.values[parameter.name] ?? ""}
                onInput={(value) => setValue(parameter.name, value)}
              />
            ))}
          {operation.needsKey && (
            <label>
              Key{" "}
              <span class="faint">
                {key.value && !typed ? "optional, you are signed in" : `with the scope ${operation.scope}`}
              </span>
              <input
                type="password"
                data-testid="try-key"
                autocomplete="off"
                placeholder="ear_live_…"
                value={typed}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            </label>
          )}
          {examples.length > 1 && (
            <label>
              Example
              <select
                data-testid="try-example"
                onChange={(event) =>
                  setFilled({ ...filled, body: pretty(examples[event.currentTarget.selectedIndex].value) })
                }>
                {examples.map(({ name, summary }) => (
                  <option key={name}>{summary || name}</option>
                ))}
              </select>
            </label>
          )}
        </div>
        {operation.body && (
          <div class="field">
            <label for={`${id}-body`}>Body</label>
            <textarea
              id={`${id}-body`}
              data-testid="try-body"
              spellcheck={false}
              value={filled.body}
              aria-invalid={!!body.wrong}
              aria-describedby={`${id}-wrong`}
              rows={Math.min(18, filled.body.split("\n").length + 1)}
              onInput={(event) => setFilled({ ...filled, body: event.currentTarget.value })}
            />
            <div id={`${id}-wrong`} class="wrong">
              {body.wrong && `Not valid JSON: ${body.wrong}`}
            </div>
          </div>
        )}
        <div class="row">
          <button class="primary" data-testid="try-send" disabled={busy || !!body.wrong}>
            Send
          </button>
          {busy && <Button text="Stop" data-testid="try-stop" onClick={stop} />}
          {busy && !received && <Spinner label="Sending" />}
        </div>
      </form>
      <Problem error={error} />
      {received && <ResponseView received={received} />}
      <h3>Code</h3>
      <Tabs
        label="Languages"
        tabs={snippets(operation, filled.values, body.wrong ? examples[0]?.value : body.value).map((snippet) => ({
          name: snippet.language,
          content: () => <CodeBox code={snippet.code} testid="snippet" />,
        }))}
      />
    </section>
  );
}

/** Sends one request at a time; leaving the page aborts it. */
function useSending() {
  const [received, setReceived] = useState<Received>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  const start = (task: (signal: AbortSignal, show: (received: Received) => void) => Promise<void>) => {
    running.current = new AbortController();
    const { signal } = running.current;
    setBusy(true);
    setReceived(undefined);
    setError(undefined);
    task(signal, setReceived)
      .catch((problem) => {
        if (!signal.aborted) setError(problem);
      })
      .finally(() => setBusy(false));
  };
  return { busy, received, error, start, stop: () => running.current.abort() };
}

type FieldProps = { api: OpenAPI; parameter: Parameter; value: string; onInput: (value: string) => void };

function Field({ api, parameter, value, onInput }: FieldProps) {
  const { enum: allowed, type } = follow(api, parameter.schema);
  const values = (allowed ?? (type === "boolean" ? [true, false] : undefined))?.map(String);
  const hook = `try-param-${parameter.name}`;
  return (
    <label>
      {parameter.name}{" "}
      <span class="faint">
        {parameter.in}
        {parameter.required && ", required"}
      </span>
      {values ? (
        <Select
          data-testid={hook}
          all={parameter.required ? "Choose…" : "Not set"}
          value={value}
          options={values}
          onChoose={onInput}
        />
      ) : (
        <input
          data-testid={hook}
          value={value}
          required={parameter.required}
          placeholder={parameter.example === undefined ? "" : `e.g. ${parameter.example}`}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </label>
  );
}

function ResponseView({ received }: { received: Received }) {
  const text = readable(received);
  return (
    <div class="came" data-testid="try-result">
      <p role="status">
        <strong class={received.status < 400 ? "good" : "bad"} data-testid="try-status">
          {received.status} {received.statusText}
        </strong>{" "}
        <span class="faint">
          {received.ms.toLocaleString()} ms{!received.ended && ", receiving…"}
        </span>
      </p>
      <dl class="headers">
        {received.headers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {text && <CodeBox code={text} testid="try-response" />}
      {received.more && <p class="faint">Truncated</p>}
    </div>
  );
}
