// The result of a call: the answer, the JSON, the stored page, and code.
import { useState } from "preact/hooks";
import { base } from "../api";
import type { Provider, Surface, TaskResult } from "earshot";
import { codeFor } from "../snippets";
import { countryName } from "../state";
import { Copy, Empty, JsonView, Tabs } from "../ui";
import { AnswerView } from "./answer";
import { isMadeUp } from "./origin";
import { Facts } from "./pieces";
import { NewsView, SearchView } from "./search";
import "./result.css";

interface OutputProps {
  provider: Provider;
  body: unknown;
  result: TaskResult;
  response: unknown;
  onAsk?: (query: string) => void;
}

export function Output({ provider, body, result, response, onAsk }: OutputProps) {
  return (
    <Tabs
      label="Views of the result"
      tabs={[
        { name: "Answer", content: () => <ResultView result={result} provider={provider} onAsk={onAsk} /> },
        { name: "JSON", content: () => <JsonView value={response} name={provider.replace("/", "-")} /> },
        { name: "Stored page", content: () => <Capture html={result.html} /> },
        { name: "Code", content: () => <Code url={new URL(`v1/monitor/${provider}`, base).href} body={body} /> },
      ]}
    />
  );
}

type ResultViewProps = { result: TaskResult; provider: Provider; onAsk?: (query: string) => void };

/** The result of a provider. onAsk receives a suggested query. */
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
  web: "From the website",
  api: "From the official API",
  vendor: "From the website, bought from a vendor",
};

/** The origin of the result. */
function Origin({ result }: { result: TaskResult }) {
  const { surface, location, via } = result;
  const model = "model" in result && result.model;
  const place = location && [location.state, countryName(location.country)].filter(Boolean).join(", ");
  return (
    <>
      {isMadeUp(result) && (
        <p class="lab" data-testid="lab-hint">
          <strong>Sample data.</strong> The built-in lab generated this answer. It is not real.
        </p>
      )}
      <Facts
        of={[
          surface !== "lab" && surfaces[surface],
          via && `Via ${via}`,
          <span data-testid="surface" class="badge">
            {surface}
          </span>,
          place,
          model && `Model ${model}`,
        ]}
      />
    </>
  );
}

/** The stored pages, by their path on this server, because its public address may differ. */
function Capture({ html }: { html: string | string[] | undefined }) {
  const pages = [html ?? []]
    .flat()
    .map((url) => url.match(/captures\/[^?#]+$/)?.[0])
    .filter((path) => path !== undefined);
  const [shown, show] = useState(0);
  const path = pages[shown] ?? pages[0];
  if (!path)
    return <Empty title="No stored page">To store it, select “Stored page (HTML)” before you run the request.</Empty>;
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
          Open in new tab
        </a>
        <span class="faint">Stored for one day, without scripts and images</span>
      </div>
      <iframe key={path} class="capture" sandbox="" src={path} title="Stored page" data-testid="capture" />
    </>
  );
}

function Code({ url, body }: { url: string; body: unknown }) {
  return (
    <>
      <p class="faint">
        Set the environment variable <code>EARSHOT_API_KEY</code> to your key.
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
