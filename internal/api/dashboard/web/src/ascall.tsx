// What a page shows, as a request of one's own.
import { useState } from "preact/hooks";
import { base } from "./api";
import { codeFor } from "./snippets";
import { Copy, Tabs } from "./ui";

interface AsCallProps {
  method?: string;
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

/** The request that a page shows the answer of, in several languages. */
export function AsCall({ method = "GET", path, query = {}, body }: AsCallProps) {
  const [open, setOpen] = useState(false); // a long body is written out only for who looks
  const url = new URL(path.replace(/^\//, ""), base);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  return (
    <details class="as-call" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As API call</summary>
      {open && (
        <Tabs
          label="Languages"
          tabs={codeFor({ method, url: url.href, body, needsKey: true, isStream: false, isJSON: true }).map(
            ({ language, code }) => ({
              name: language,
              content: () => (
                <div class="code-box">
                  <Copy text={code} />
                  <pre tabIndex={0}>{code}</pre>
                </div>
              ),
            }),
          )}
        />
      )}
    </details>
  );
}
