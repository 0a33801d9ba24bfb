// One operation: parameters, body and responses.
import { follow, type OpenAPI } from "../openapi";
import { Line, Markdown } from "../result/markdown";
import { CodeBox, Tabs } from "../ui";
import { pretty, type Content, type Operation, type Parameter, type Reply } from "./model";
import { SchemaTree } from "./schema";
import { TryIt } from "./try";

export function Method({ of }: { of: string }) {
  return <span class={`method ${of.toLowerCase()}`}>{of}</span>;
}

export function OperationView({ api, operation }: { api: OpenAPI; operation: Operation }) {
  return (
    <article class="operation" data-testid="operation">
      <h1 id={operation.id} tabIndex={-1}>
        {operation.summary}
      </h1>
      <p class="route">
        {operation.isWebhook ? (
          <span class="badge">Sent to your webhook</span>
        ) : (
          <>
            <Method of={operation.method} /> <code data-testid="path">{operation.path}</code>
          </>
        )}
        {!operation.isWebhook && (
          <span class="badge" data-testid="scope">
            {operation.needsKey ? `Scope ${operation.scope}` : "No key needed"}
          </span>
        )}
        <a href={`#${operation.id}`} class="faint">
          {operation.id}
        </a>
      </p>
      <Markdown text={operation.description} />
      {operation.parameters.length > 0 && (
        <section class="card">
          <h2>Parameters</h2>
          <Parameters api={api} parameters={operation.parameters} />
        </section>
      )}
      {operation.body && (
        <section class="card">
          <h2>Body</h2>
          <ContentView api={api} content={operation.body} unfolded />
        </section>
      )}
      {!operation.isWebhook && <TryIt api={api} operation={operation} />}
      <section class="card">
        <h2>Responses</h2>
        <Tabs
          label="Responses by status"
          tabs={operation.replies.map((reply) => ({
            name: reply.status,
            content: () => <ReplyView key={reply.status} api={api} reply={reply} />,
          }))}
        />
      </section>
    </article>
  );
}

function Parameters({ api, parameters }: { api: OpenAPI; parameters: Parameter[] }) {
  return (
    <dl class="parameters">
      {parameters.map(({ name, in: place, required, description, schema, example }) => (
        <div key={name}>
          <dt>
            <code class="name">{name}</code> <span class="faint">{place}</span>
            {required && <span class="bad"> required</span>}
          </dt>
          <dd>
            <Line text={description} />
            <SchemaTree api={api} schema={{ ...follow(api, schema), description: undefined }} />
            {example !== undefined && (
              <div class="faint">
                Example: <code>{String(example)}</code>
              </div>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ReplyView({ api, reply }: { api: OpenAPI; reply: Reply }) {
  return (
    <>
      <Markdown text={reply.description} />
      {reply.content.map((content) => (
        <ContentView key={content.type} api={api} content={content} />
      ))}
      {reply.headers.length > 0 && (
        <details class="reply-headers">
          <summary>Headers ({reply.headers.length})</summary>
          <dl class="parameters">
            {reply.headers.map(({ name, description }) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd class="faint">
                  <Line text={description} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

/** A schema with its examples. */
function ContentView({ api, content, unfolded }: { api: OpenAPI; content: Content; unfolded?: boolean }) {
  return (
    <>
      <details open={unfolded}>
        <summary>
          Schema <span class="faint">{content.type}</span>
        </summary>
        <SchemaTree api={api} schema={content.schema} />
      </details>
      {content.examples.map(({ name, summary, value }) => (
        <figure key={name}>
          <figcaption class="faint">Example: {summary || name}</figcaption>
          <CodeBox code={pretty(value)} testid="example" />
        </figure>
      ))}
    </>
  );
}
