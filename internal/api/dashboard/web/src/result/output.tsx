// All that a call gave: the answer to read, the data, the page, and code that repeats it.
import { useState } from "preact/hooks";
import { base } from "../api";
import type { Provider, Surface, TaskResult } from "../api.gen";
import { download } from "../file";
import { codeFor } from "../snippets";
import { countryName } from "../state";
import { Button, Copy, Empty, Tabs } from "../ui";
import { AnswerView } from "./answer";
import { isMadeUp } from "./origin";
import { Facts } from "./pieces";
import { NewsView, SearchView } from "./search";
import "./result.css";

export interface OutputProps {
  provider: Provider;
  body: unknown;
  result: TaskResult;
  response: unknown;
  onAsk?: (query: string) => void;
}

export function Output({ provider, body, result, response, onAsk }: OutputProps) {
  return (
    <Tabs
      label="The result as"
      tabs={[
        { name: "Answer", content: () => <ResultView result={result} provider={provider} onAsk={onAsk} /> },
        { name: "JSON", content: () => <Json value={response} name={provider.replace("/", "-")} /> },
        { name: "Capture", content: () => <Capture html={result.html} /> },
        { name: "Code", content: () => <Code url={new URL(`v1/monitor/${provider}`, base).href} body={body} /> },
      ]}
    />
  );
}

type ResultViewProps = { result: TaskResult; provider: Provider; onAsk?: (query: string) => void };

/** The result of a provider, named by its path. Queries that it suggests go to onAsk. */
export function ResultView({ result, provider, onAsk }: ResultViewProps) {
  return (
    <div class="result" data-testid="result" data-provider={provider}>
      <Origin result={result} />
      {"organicResults" in result ? (
        <SearchView result={result} onAsk={onAsk} />
      ) : "newsResults" in result ? (
        <NewsView result={result} />
      ) : (
        <AnswerView result={result} onAsk={onAsk} />
      )}
    </div>
  );
}

const surfaces: Record<Exclude<Surface, "lab">, string> = {
  web: "Read from the provider's pages",
  api: "From the provider's official API",
};

/** Where the result came from: nobody shall take the lab's word for a provider's. */
function Origin({ result }: { result: TaskResult }) {
  const { surface, location } = result;
  const model = "model" in result && result.model;
  const place = location && [location.state, countryName(location.country)].filter(Boolean).join(", ");
  return (
    <>
      {isMadeUp(result) && (
        <p class="lab" data-testid="lab-hint">
          <strong>Made up.</strong> The built-in lab wrote this answer; nothing in it is real.
        </p>
      )}
      <Facts
        of={[
          surface !== "lab" && surfaces[surface],
          <span data-testid="surface" class="badge">
            {surface}
          </span>,
          place && `Asked from ${place}`,
          model && `Model ${model}`,
        ]}
      />
    </>
  );
}

function Json({ value, name }: { value: unknown; name: string }) {
  const text = JSON.stringify(value, null, 2);
  const save = () => download(new Blob([text], { type: "application/json" }), `${name}.json`);
  return (
    <>
      <div class="tools">
        <Copy text={text} />
        <Button text="Download" class="small" onClick={save} />
      </div>
      <pre class="tall" tabIndex={0} data-testid="json">
        {text}
      </pre>
    </>
  );
}

/** The stored pages, by their path below this server whatever name it has outside. */
function Capture({ html }: { html: string | string[] | undefined }) {
  const pages = [html ?? []]
    .flat()
    .map((url) => url.match(/captures\/[^?#]+$/)?.[0])
    .filter((path) => path !== undefined);
  const [shown, show] = useState(0);
  const path = pages[shown] ?? pages[0];
  if (!path)
    return <Empty title="No capture">Tick HTML under Include and run it again to keep the page that was read.</Empty>;
  return (
    <>
      <div class="tools">
        {pages.length > 1 &&
          pages.map((page, i) => (
            <button key={page} type="button" class="small" aria-pressed={page === path} onClick={() => show(i)}>
              Page {i + 1}
            </button>
          ))}
        <a href={path} target="_blank" rel="noopener">
          Open in a tab of its own
        </a>
        <span class="faint">Kept for a day. Scripts and images of the page are not loaded.</span>
      </div>
      <iframe key={path} class="capture" sandbox="" src={path} title="The page that was read" data-testid="capture" />
    </>
  );
}

function Code({ url, body }: { url: string; body: unknown }) {
  return (
    <>
      <p class="faint">
        Put your key into the variable <code>EARSHOT_API_KEY</code> first.
      </p>
      {codeFor({ method: "POST", url, body, needsKey: true, isStream: false, isJSON: true }).map(
        ({ language, code }) => (
          <section key={language} class="snippet" data-testid={`code-${language.toLowerCase()}`}>
            <div class="tools">
              <h3>{language}</h3>
              <Copy text={code} />
            </div>
            <pre tabIndex={0}>{code}</pre>
          </section>
        ),
      )}
    </>
  );
}
