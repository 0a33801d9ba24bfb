// The API reference, generated from the server's OpenAPI document. It needs no key.
import { useEffect, useRef } from "preact/hooks";
import { base } from "../api";
import { chapters, groups } from "../docs/model";
import { Nav } from "../docs/nav";
import { OperationView } from "../docs/operation";
import { openAPI, type OpenAPI } from "../openapi";
import { Line, Markdown } from "../result/markdown";
import { route } from "../state";
import { Problem, Spinner, useLoad } from "../ui";
import "./docs.css";

export function Docs() {
  const { value, error } = useLoad(() => openAPI(), []);
  if (error) return <Problem error={error} />;
  return value ? <Reference api={value} /> : <Spinner />;
}

function Reference({ api }: { api: OpenAPI }) {
  const all = groups(api);
  const chosen = route.value.rest[0] ?? "overview";
  const operation = all.flatMap(({ operations }) => operations).find(({ id }) => id === chosen);
  useArrival(chosen);
  return (
    <div class="docs">
      <Nav groups={all} chapters={chapters(api)} chosen={chosen} />
      {operation ? <OperationView key={operation.id} api={api} operation={operation} /> : <Overview api={api} />}
    </div>
  );
}

/** The introduction: authentication, errors and so on. */
function Overview({ api }: { api: OpenAPI }) {
  const [first, ...rest] = chapters(api);
  const schemes = Object.values(api.components.securitySchemes ?? {});
  return (
    <article class="operation" data-testid="overview">
      <h1 id={first.id} tabIndex={-1}>
        {first.title} API <span class="faint">{api.info.version}</span>
      </h1>
      <p>{api.info.summary}</p>
      <Markdown text={first.text} />
      <p>
        Base URL: <code>{base.href}</code> · <a href="openapi.json">openapi.json</a>
      </p>
      <section class="card">
        <h2 id="authentication" tabIndex={-1}>
          Authentication
        </h2>
        {schemes.map((scheme, i) => (
          <p key={i}>
            <code>
              Authorization: {scheme.scheme === "bearer" ? "Bearer" : scheme.scheme} {scheme.bearerFormat}
            </code>{" "}
            <Line text={scheme.description ?? ""} />
          </p>
        ))}
      </section>
      {rest.map(({ id, title, text }) => (
        <section key={id} class="card">
          <h2 id={id} tabIndex={-1}>
            {title}
          </h2>
          <Markdown text={text} />
        </section>
      ))}
    </article>
  );
}

/** Scrolls to the heading in the address, which did not exist when the browser looked for it. */
function useArrival(id: string) {
  const first = useRef(true);
  useEffect(() => {
    const target = document.getElementById(id);
    if (!first.current || id !== "overview") {
      target?.focus({ preventScroll: true });
      target?.scrollIntoView({ block: "start" });
    }
    first.current = false;
  }, [id]);
}
