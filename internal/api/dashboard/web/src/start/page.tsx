// Getting started: ask a platform once, then create a tracker from a company's name and website.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { ApiError, call } from "../api";
import type { Provider as ProviderName, ProviderUpstreams } from "earshot";
import { startOf } from "../form";
import { productName, upstreamName } from "../names";
import { openAPI, providers, type OpenAPI, type Provider } from "../openapi";
import { Outcome, useQuote } from "../pages/playground";
import { clearError, runOf, start } from "../playground/run";
import { key, may } from "../session";
import { countries, countryOptions, route } from "../state";
import { counted, Empty, Loading, Needs, Problem, Select, useLoad } from "../ui";
import { Field } from "../trackers/form";
import { CompanyStep } from "./company";
import "./start.css";

/** What is asked. It stays while the steps change. */
interface Question {
  provider?: ProviderName;
  country: string;
  prompt: string;
}

const question = signal<Question>({ country: "", prompt: "" });
key.subscribe(() => {
  const country = navigator.language.match(/-([A-Z]{2})\b/)?.[1] ?? "US";
  question.value = { country, prompt: "What are the best running shoes for beginners?" };
});

/** Returns the first upstream that is asked; undefined for a platform whose answers the lab makes up. */
const realUpstream = ({ upstreams }: ProviderUpstreams) =>
  upstreams.find(({ state, name }) => state !== "notConfigured" && name !== "lab")?.name;

const steps = [
  ["", "Ask once"],
  ["tracker", "Create a tracker"],
] as const;

export function Start() {
  const step = route.value.rest[0] === "tracker" ? "tracker" : "";
  const loaded = useLoad((signal) => Promise.all([openAPI(), providers(), call("GET /v1/upstreams", { signal })]), []);
  const [api, all = [], upstreams] = loaded.value ?? [];
  // Some platforms need more than a prompt and a country.
  const offered = all
    .filter(({ schema: { required = [] }, textField }) =>
      required.every((field) => field === textField || field === "country"),
    )
    .map((provider) => {
      const known = upstreams?.providers.find((one) => one.provider === provider.name);
      return { provider, real: known && realUpstream(known) };
    })
    .sort((a, b) => Number(!!b.real) - Number(!!a.real));
  const chosen = offered.find(({ provider }) => provider.name === question.value.provider) ?? offered[0];
  return (
    <>
      <div class="head">
        <h1>Get started</h1>
        <a href="#/trackers">Skip</a>
      </div>
      <nav aria-label="Steps" class="start-steps">
        {steps.map(([name, title], i) => (
          <a key={name} href={`#/start/${name}`} aria-current={name === step ? "step" : undefined}>
            {i + 1}. {title}
          </a>
        ))}
        <span class="faint">3. Run the first sweep</span>
      </nav>
      <Loading of={loaded} lines={8} />
      {api && chosen && step === "" && <AskStep api={api} offered={offered} chosen={chosen.provider} />}
      {chosen && step === "tracker" && (
        <Needs scope="track" what="create a tracker">
          <CompanyStep
            target={{ provider: chosen.provider.name, country: question.value.country }}
            run={runOf(chosen.provider.name)}
          />
        </Needs>
      )}
    </>
  );
}

interface Offer {
  provider: Provider;
  real?: string;
}

function AskStep({ api, offered, chosen }: { api: OpenAPI; offered: Offer[]; chosen: Provider }) {
  const { prompt, country } = question.value;
  const { value: codes = [] } = useLoad(() => countries(chosen.name), [chosen.name]);
  const body = useMemo(
    () => ({ ...startOf(api, chosen), [chosen.textField]: prompt, country }),
    [api, chosen, prompt, country],
  );
  const quote = useQuote(chosen.taskType, body);
  const run = runOf(chosen.name);
  const change = (part: Partial<Question>) => {
    clearError(chosen.name);
    question.value = { ...question.value, ...part };
  };
  const problems = run.error instanceof ApiError && run.error.fields.length ? run.error.fields : quote.problems;
  const wrong = (name: string) => problems.filter(({ field }) => field === name).map(({ message }) => message);
  const product = productName(chosen.name);
  return (
    <div class="grid two">
      <form
        class="card definition-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (may("monitor")) void start(chosen.name, body);
        }}>
        <fieldset>
          <legend>Platform</legend>
          {offered.map(({ provider: { name }, real }) => (
            <label key={name} class="inline">
              <input
                type="radio"
                name="provider"
                value={name}
                checked={name === chosen.name}
                onChange={() => change({ provider: name })}
              />
              {productName(name)}{" "}
              <span class="faint">{real ? `Real answers: ${upstreamName(real)}` : "Sample data"}</span>
            </label>
          ))}
        </fieldset>
        {offered.some(({ real }) => !real) && (
          <p class="faint">
            Sample data: the built-in lab makes up these answers. For real answers, the operator of this server adds a
            key. The page <a href="#/system">System</a> lists the upstreams.
          </p>
        )}
        <Field label="A question that your customers ask" wrong={wrong(chosen.textField)}>
          <textarea
            name="prompt"
            value={prompt}
            aria-invalid={wrong(chosen.textField).length > 0}
            onInput={(event) => change({ prompt: event.currentTarget.value })}
          />
        </Field>
        <Field label="Country" wrong={wrong("country")}>
          <Select
            value={country}
            options={countryOptions(codes)}
            aria-invalid={wrong("country").length > 0}
            onChoose={(country) => change({ country })}
          />
        </Field>
        <Problem error={quote.error} />
        <Needs scope="monitor" what="ask">
          <button class="primary" data-testid="ask" disabled={run.running || quote.busy || quote.credits === undefined}>
            Ask {product}
            {quote.credits !== undefined && ` (max. ${counted(quote.credits, "credit")})`}
          </button>
        </Needs>
      </form>
      <section class="card" aria-label="Answer" aria-busy={run.running}>
        {run.response && (
          <a class="button primary" href="#/start/tracker" data-testid="to-tracker">
            Next: create a tracker
          </a>
        )}
        {run.running || run.error || run.response ? (
          <Outcome run={run} provider={chosen.name} onAsk={(prompt) => change({ prompt })} />
        ) : (
          <Empty title="No answer yet">
            The answer of {product} and its sources appear here. You can also{" "}
            <a href="#/start/tracker">go on without asking</a>.
          </Empty>
        )}
      </section>
    </div>
  );
}
