// All that a call gave: the answer to read, the data, the page, and code that repeats it.
import { useState } from "preact/hooks";
import { base } from "../api";
import { download } from "../file";
import { Copy, Empty, Tabs } from "../ui";
import { codeFor } from "../snippets";
import { ResultView } from "./view";

export interface OutputProps { provider: string; body: unknown; response: any; onAsk?: (query: string) => void }

export function Output({ provider, body, response, onAsk }: OutputProps) {
  const { result } = response;
  return (
    <Tabs label="The result as" tabs={[
      { name: "Answer", content: () => <ResultView result={result} provider={provider} onAsk={onAsk} /> },
      { name: "JSON", content: () => <Json value={response} name={provider.replace("/", "-")} /> },
      { name: "Capture", content: () => <Capture html={result.html} /> },
      { name: "Code", content: () => <Code url={new URL(`v1/monitor/${provider}`, base).href} body={body} /> },
    ]} />
  );
}

function Json({ value, name }: { value: unknown; name: string }) {
  const text = JSON.stringify(value, null, 2);
  const save = () => download(new Blob([text], { type: "application/json" }), `${name}.json`);
  return (
    <>
      <div class="tools"><Copy text={text} /><button type="button" class="small" onClick={save}>Download</button></div>
      <pre class="tall" tabIndex={0} data-testid="json">{text}</pre>
    </>
  );
}

/** The stored pages, by their path below this server whatever name it has outside. */
function Capture({ html }: { html: string | string[] | undefined }) {
  const pages = [html ?? []].flat().map((url) => url.match(/captures\/[^?#]+$/)?.[0]).filter((path) => path !== undefined);
  const [shown, show] = useState(0);
  const path = pages[shown] ?? pages[0];
  if (!path) return <Empty title="No capture">Tick HTML under Include and run it again to keep the page that was read.</Empty>;
  return (
    <>
      <div class="tools">
        {pages.length > 1 && pages.map((page, i) => (
          <button key={page} type="button" class="small" aria-pressed={page === path} onClick={() => show(i)}>Page {i + 1}</button>
        ))}
        <a href={path} target="_blank" rel="noopener">Open in a tab of its own</a>
        <span class="faint">Kept for a day. Scripts and images of the page are not loaded.</span>
      </div>
      <iframe key={path} class="capture" sandbox="" src={path} title="The page that was read" data-testid="capture" />
    </>
  );
}

function Code({ url, body }: { url: string; body: unknown }) {
  return (
    <>
      <p class="faint">Put your key into the variable <code>EARSHOT_API_KEY</code> first.</p>
      {codeFor({ method: "POST", url, body, needsKey: true, isStream: false, isJSON: true }).map(({ language, code }) => (
        <section key={language} class="snippet" data-testid={`code-${language.toLowerCase()}`}>
          <div class="tools"><h3>{language}</h3><Copy text={code} /></div>
          <pre tabIndex={0}>{code}</pre>
        </section>
      ))}
    </>
  );
}
