// Getting started: ask a platform once, then create a tracker from a company's name and website.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { ApiError, call } from "../api";
import type { Provider as ProviderName, ProviderUpstreams } from "../api.gen";
import { startOf } from "../form";
import { productName, upstreamName } from "../names";
import { openAPI, providers, type OpenAPI, type Provider } from "../openapi";
import { Outcome, useQuote } from "../pages/playground";
import { clearError, runOf, start } from "../playground/run";
import { key, may } from "../session";
import { countries, countryOptions, route } from "../state";
import { counted, Empty, Loading, Needs, Problem, Select, useLoad } from "../ui";
import { CompanyStep } from "./company";
import "./start.css";

/** What is asked. It stays while the steps change. */
interface Question {
  provider?: ProviderName;
  country: string;
  prompt: string;
}

const question = signal<Question>({ country: "US", prompt: "What are the best running shoes for beginners?" });
key.subscribe(() => (question.value = { ...question.peek(), provider: undefined }));

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
    .filter(({ schema, textField }) => schema.required?.every((field) => field === textField || field === "country"))
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
        <CompanyStep
          target={{ provider: chosen.provider.name, country: question.value.country }}
          run={runOf(chosen.provider.name)}
        />
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
  const wrong = (name: string) => problems.find(({ field }) => field === name)?.message;
  const [wrongPrompt, wrongCountry] = [wrong(chosen.textField), wrong("country")];
  const product = productName(chosen.name);
  return (
    <div class="grid two">
      <form
        class="card"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (may("monitor")) void start(chosen.name, body);
        }}>
        <fieldset class="platforms">
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
            key (<a href="#/upstreams">Upstreams</a>).
          </p>
        )}
        <div class="field">
          <label for="start-prompt">A question that your customers ask</label>
          <textarea
            id="start-prompt"
            value={prompt}
            aria-invalid={!!wrongPrompt}
            onInput={(event) => change({ prompt: event.currentTarget.value })}
          />
          {wrongPrompt && <div class="wrong">{`The question ${wrongPrompt}`}</div>}
        </div>
        <div class="field">
          <label for="start-country">Country</label>
          <Select
            id="start-country"
            value={country}
            options={countryOptions(codes)}
            aria-invalid={!!wrongCountry}
            onChoose={(country) => change({ country })}
          />
          {wrongCountry && <div class="wrong">{`The country ${wrongCountry}`}</div>}
        </div>
        <Problem error={quote.error} />
        <Needs scope="monitor" what="ask">
          <button class="primary" data-testid="ask" disabled={run.running || quote.credits === undefined}>
            Ask {product}
            {quote.credits !== undefined && ` (max. ${counted(quote.credits, "credit")})`}
          </button>
        </Needs>
      </form>
      <section class="card" aria-label="Answer" aria-busy={run.running}>
        {run.response && (
          <p class="title-line">
            <a class="button primary" href="#/start/tracker" data-testid="to-tracker">
              Next: create a tracker
            </a>
          </p>
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
