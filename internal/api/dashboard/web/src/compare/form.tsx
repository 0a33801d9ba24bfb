// The form of a comparison: prompt, platforms and countries.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call } from "../api";
import { providers, type Provider } from "../openapi";
import { balance, countries } from "../state";
import { Button, counted, Needs, Problem, Spinner, useLoad, useSettled } from "../ui";
import { productName } from "../names";
import { explain } from "../tasks/pieces";
import { cellName, questions, type Question } from "./run";
import { Countries } from "./countries";

/** The prompt that the price is calculated for until one is typed. */
const standIn = "?";

type FormProps = { busy: boolean; onRun: (prompt: string, questions: Question[]) => void; onCancel: () => void };

export function Form({ busy, onRun, onCancel }: FormProps) {
  const offered = useLoad(() => Promise.all([providers(), countries()]), []);
  const [prompt, setPrompt] = useState("");
  const [names, setNames] = useState<string[]>();
  const [chosen, setChosen] = useState<string[]>(["US", "DE"]);
  if (offered.error) return <Problem error={offered.error} />;
  if (!offered.value) return <Spinner />;
  const [all, codes] = offered.value;
  const selected = all.filter(({ name }, i) => (names ? names.includes(name) : i < 2));
  const from = chosen.filter((code) => codes.includes(code));
  const text = prompt.trim();
  const asked = questions(text || standIn, selected, from);
  const toggle = (name: string, on: boolean) =>
    setNames((before = selected.map((provider) => provider.name)) =>
      on ? [...before, name] : before.filter((other) => other !== name),
    );
  const submit = (event: Event) => {
    event.preventDefault();
    if (text && asked.length && !busy) onRun(text, asked);
  };
  return (
    <form class="card compare-form" onSubmit={submit}>
      <label>
        Prompt or query
        <textarea
          data-testid="prompt"
          value={prompt}
          required
          placeholder="Which trail running shoes last longest?"
          onInput={(event) => setPrompt(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
      </label>
      <fieldset>
        <legend>Platforms</legend>
        {all.map(({ name }) => (
          <label key={name} class="inline">
            <input
              type="checkbox"
              data-testid={`provider-${name}`}
              checked={selected.some((provider) => provider.name === name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
            {productName(name)}
          </label>
        ))}
      </fieldset>
      <div>
        <Countries all={codes} chosen={from} choose={setChosen} />
        <Price questions={asked} tasks={asTasks(asked, all)} />
        {balance.value !== undefined && <p class="faint">{counted(balance.value, "credit")} left</p>}
        <div class="row">
          <Needs scope="monitor" what="run requests">
            <button class="primary" data-testid="run" disabled={busy || !text || !asked.length}>
              {busy ? "Running…" : "Run"}
            </button>
          </Needs>
          {busy && <Button text="Cancel" data-testid="cancel" onClick={onCancel} />}
        </div>
      </div>
      <AsCall method="POST" path="/v1/async/task/batch" body={asTasks(asked, all)} />
    </form>
  );
}

/** Returns the requests as a batch of tasks. */
const asTasks = (questions: Question[], all: Provider[]) =>
  questions.map(({ provider, payload }) => ({
    taskType: all.find(({ name }) => name === provider)?.taskType,
    payload,
  }));

/** The maximum cost of a comparison. */
function Price({ questions, tasks }: { questions: Question[]; tasks: ReturnType<typeof asTasks> }) {
  const body = JSON.stringify(tasks);
  const { value, error, busy } = useSettled(
    async (signal) => (questions.length ? call("POST /v1/quote", { body: JSON.parse(body), signal }) : undefined),
    [body],
  );
  if (error) return <Problem error={error} />;
  if (!questions.length)
    return (
      <p class="faint" data-testid="price">
        Choose at least one platform and one country.
      </p>
    );
  const quote = busy ? undefined : value;
  const refused = quote?.items.filter((item) => !item.success) ?? [];
  return (
    <div data-testid="price" aria-live="polite">
      {counted(questions.length, "request")}, max.{" "}
      {quote ? <strong>{counted(quote.creditsToCharge, "credit")}</strong> : <Spinner label="Calculating the cost" />}
      {refused.length > 0 && (
        <ul class="refused">
          {refused.map(({ index, error: why }) => (
            <li key={index} class="warn">
              {cellName(questions[index])}: {explain(why)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
