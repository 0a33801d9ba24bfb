// What holds for every operation: keys, errors and the rest of the introduction.
import { base } from "../api";
import type { OpenAPI } from "../state";
import { Line, Markdown } from "../result/markdown";

export interface Chapter { id: string; title: string; text: string }

/** The introduction's chapters: paragraphs that begin with a title in bold. */
export function chapters(api: OpenAPI): Chapter[] {
  const found: Chapter[] = [{ id: "overview", title: api.info.title, text: "" }];
  for (const paragraph of String(api.info.description ?? "").split(/\n{2,}/)) {
    const [, title, text] = paragraph.match(/^\*\*([^*]+)\.\*\*\s+([^]*)$/) ?? [];
    if (title) found.push({ id: title.toLowerCase().replace(/\W+/g, "-"), title, text });
    else found[found.length - 1].text += `\n\n${paragraph}`;
  }
  return found;
}

export function Overview({ api }: { api: OpenAPI }) {
  const [first, ...rest] = chapters(api);
  const schemes: any[] = Object.values((api.components as any).securitySchemes ?? {});
  return (
    <article class="operation" data-testid="overview">
      <h1 id={first.id} tabIndex={-1}>{first.title} API <span class="faint">{api.info.version}</span></h1>
      <p>{api.info.summary}</p>
      <Markdown text={first.text} />
      <p>The address of this server is <code>{base.href}</code>. Everything here is made from its own <a href="openapi.json">openapi.json</a>.</p>
      <section class="card">
        <h2 id="authentication" tabIndex={-1}>Authentication</h2>
        {schemes.map((scheme, i) => (
          <p key={i}><code>Authorization: {scheme.scheme === "bearer" ? "Bearer" : scheme.scheme} {scheme.bearerFormat}</code> <Line text={scheme.description ?? ""} /></p>
        ))}
      </section>
      {rest.map(({ id, title, text }) => <section key={id} class="card"><h2 id={id} tabIndex={-1}>{title}</h2><Markdown text={text} /></section>)}
    </article>
  );
}
