// The playground: fill in a request, see its price, run it and read the answer.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { ApiError, call, type Payload } from "../api";
import type { FieldProblem, Provider as ProviderName, TaskRequest, TaskType } from "earshot";
import { fieldsOf, otherProblems, RequestFields, startOf } from "../form";
import { openAPI, providers, type OpenAPI, type Provider } from "../openapi";
import { cancel, clearError, runOf, start, type Run } from "../playground/run";
import { Line } from "../result/markdown";
import { Output } from "../result/output";
import { fieldLabel, productName } from "../names";
import { may } from "../session";
import { addressOf, route } from "../state";
import { Button, counted, Empty, Needs, number, Problem, Select, Spinner, useLoad, useSettled } from "../ui";
import "./playground.css";

export function Playground() {
  const { value, error } = useLoad(() => Promise.all([openAPI(), providers()]), []);
  if (error) return <Problem error={error} />;
  if (!value) return <Spinner />;
  const [api, all] = value;
  const wanted = route.value.rest.join("/");
  const provider = all.find(({ name }) => name === wanted) ?? all[0];
  if (!provider) return <Empty title="No platforms available" />;
  return (
    <>
      <div class="head">
        <h1>Playground</h1>
        <Select
          id="provider"
          aria-label="Platform"
          data-testid="provider"
          value={provider.name}
          options={all.map(({ name }) => [name, productName(name)])}
          onChoose={(name) => {
            location.hash = `#/playground/${name}`;
          }}
        />
      </div>
      <p class="about faint">
        <Line text={provider.description} />
      </p>
      <Bench key={provider.name} api={api} provider={provider} />
    </>
  );
}

/** The form of a provider, and the result of its last run. */
function Bench({ api, provider }: { api: OpenAPI; provider: Provider }) {
  const fields = useMemo(() => fieldsOf(api, provider.schema), [provider]);
  const [body, setBody] = useRemembered(provider.name, () => startOf(api, provider));
  const quote = useQuote(provider.taskType, body);
  const run = runOf(provider.name);
  const form = useRef<HTMLFormElement>(null);
  const output = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone, the result is below the form, so scroll to it.
    if (run.running && output.current!.getBoundingClientRect().top > innerHeight * 0.8)
      output.current!.scrollIntoView();
  }, [run.running]);
  const change = (next: Payload) => {
    clearError(provider.name);
    setBody(next);
  };
  const ask = (question: string) => {
    change({ ...body, [provider.textField]: question });
    form.current?.querySelector("textarea")?.focus();
  };
  const problems = run.error instanceof ApiError && run.error.fields.length ? run.error.fields : quote.problems;
  return (
    <div class="grid two bench">
      <form
        ref={form}
        class="card"
        noValidate
        data-testid="request"
        onSubmit={(event) => {
          event.preventDefault();
          if (may("monitor")) void start(provider.name, body);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
        }}>
        <RequestFields provider={provider} fields={fields} value={body} onChange={change} problems={problems} />
        {otherProblems(fields, problems).map(({ field, message }) => (
          <p key={field} class="wrong">
            {fieldLabel(field)} {message}
          </p>
        ))}
        <Problem error={quote.error} />
        <div class="row run">
          <Needs scope="monitor" what="run requests">
            <button class="primary" data-testid="run" disabled={run.running}>
              Run
            </button>
          </Needs>
          {run.running && (
            <Button text="Cancel" class="danger" data-testid="cancel" onClick={() => cancel(provider.name)} />
          )}
          <Price quote={quote} />
          <Button text="Reset" class="small reset" onClick={() => change(startOf(api, provider))} />
        </div>
        <AsCall method="POST" path={`/v1/monitor/${provider.name}`} body={body} />
      </form>
      <section ref={output} class="card" aria-label="Result" aria-busy={run.running}>
        <Outcome run={run} provider={provider.name} onAsk={ask} />
      </section>
    </div>
  );
}

/** The price of a request, or its problems. */
interface Quote {
  busy?: boolean;
  credits?: number;
  problems: FieldProblem[];
  error?: unknown;
}

/** Asks for the price of a request, once typing has paused. */
export function useQuote(taskType: TaskType, payload: Payload): Quote {
  const body = JSON.stringify({ taskType, payload });
  const { value, busy } = useSettled((signal) => quoteFor(JSON.parse(body), signal), [body]);
  return { problems: [], ...value, busy };
}

async function quoteFor(task: TaskRequest, signal: AbortSignal): Promise<Quote> {
  try {
    return { credits: (await call("POST /v1/quote", { body: task, signal })).creditsToCharge, problems: [] };
  } catch (error) {
    const problems =
      error instanceof ApiError
        ? error.fields.map(({ field, message }) => ({ field: field.replace(/^payload\./, ""), message }))
        : [];
    return problems.length ? { problems } : { problems, error };
  }
}

function Price({ quote }: { quote: Quote }) {
  return (
    <span class="faint" data-testid="price">
      {quote.credits == null ? "" : `Max. ${counted(quote.credits, "credit")}`}
    </span>
  );
}

type OutcomeProps = { run: Run; provider: ProviderName; onAsk: (query: string) => void };

export function Outcome({ run, provider, onAsk }: OutcomeProps) {
  if (run.running)
    return (
      <p class="waiting">
        <Spinner label="Running" /> <Elapsed since={run.startedAt!} />
      </p>
    );
  if (run.error) return <Problem error={run.error} />;
  if (run.cancelled) return <Empty title="Canceled">Nothing was charged.</Empty>;
  if (!run.response)
    return <Empty title="No result yet">{may("monitor") && "Fill in the form and select Run (Ctrl+Enter)."}</Empty>;
  return (
    <>
      <h2 class="hidden-words">Result</h2>
      <Cost headers={run.headers!} />
      <Output provider={provider} body={run.body} result={run.response.result} response={run.response} onAsk={onAsk} />
    </>
  );
}

/** The running time; after some seconds, why it may take longer. */
function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  const seconds = (now - since) / 1000;
  return (
    <span>
      <span data-testid="elapsed">{seconds.toFixed(1)} s</span>
      {seconds > 4 && (
        <span class="faint" data-testid="waiting-for">
          {" "}
          Still running. If the platform fails, the request is tried up to five times. Without an answer, nothing is
          charged.
        </span>
      )}
    </span>
  );
}

function Cost({ headers }: { headers: Headers }) {
  const value = (name: string) => number(Number(headers.get(name)));
  return (
    <p class="cost faint" data-testid="cost">
      <span>
        <strong data-testid="charged">{value("X-Credits-Charged")}</strong> credits charged
      </span>
      <span>{value("X-Credits-Remaining")} left</span>
      <span>{value("X-Latency-Ms")} ms</span>
      <span>
        <a href={addressOf(["history", headers.get("X-Request-Id") ?? ""])} data-testid="kept">
          View in history
        </a>
      </span>
    </p>
  );
}

/** The form of a provider, which is kept while the tab is open. */
function useRemembered(provider: ProviderName, start: () => Payload) {
  const name = `earshot.playground.${provider}`;
  const [body, setBody] = useState<Payload>(() => recall(name) ?? start());
  useEffect(() => sessionStorage.setItem(name, JSON.stringify(body)), [body]);
  return [body, setBody] as const;
}

function recall(name: string): Payload | null {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}
