// The API request of a page, as code.
import { useState } from "preact/hooks";
import { base } from "./api";
import { codeFor } from "./snippets";
import { CodeBox, Tabs } from "./ui";

interface AsCallProps {
  method?: string;
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

/** The API request of a page, in several languages. */
export function AsCall({ method = "GET", path, query = {}, body }: AsCallProps) {
  const [open, setOpen] = useState(false); // long bodies are rendered only when they are visible
  const url = new URL(path.replace(/^\//, ""), base);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  const call = { method, url: url.href, body, needsKey: true, isStream: false, isJSON: true };
  const tabs = () =>
    codeFor(call).map(({ language, code }) => ({ name: language, content: () => <CodeBox code={code} /> }));
  return (
    <details class="as-call" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>API request</summary>
      {open && <Tabs label="Languages" tabs={tabs()} />}
    </details>
  );
}
