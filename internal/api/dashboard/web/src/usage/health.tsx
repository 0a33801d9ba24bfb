// How well the parsers understand what they read.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { FieldHealth, FieldShare, HealthState, Provider, ProviderHealth } from "../api.gen";
import { choices } from "../openapi";
import { calm, useLive } from "../tasks/live";
import { type Column, Empty, number, percent, Problem, Spinner, Table, useLoad } from "../ui";

type Row = FieldHealth & { provider: Provider; surface: string };

const looks: Record<HealthState, string> = { unknown: "", ok: "good", low: "warn", alarm: "bad" };
const State = ({ state }: { state: HealthState }) => <span class={`badge ${looks[state]}`}>{state}</span>;

const rateText = (rate: number | null) => (rate == null ? "–" : percent(rate));
const share = (name: string, of: (row: Row) => FieldShare): Column<Row> => ({
  name,
  numeric: true,
  value: (row) => of(row).rate ?? -1,
  show: (row) => (
    <>
      {rateText(of(row).rate)}{" "}
      <span class="faint">
        {number(of(row).filled)}/{number(of(row).seen)}
      </span>
    </>
  ),
});

export function Health() {
  const { value, error } = useLive((signal) => call("GET /v1/health/extraction", { signal }), [], calm);
  const states = useLoad(() => choices("HealthState"), []).value ?? [];
  return (
    <section class="card" aria-labelledby="health-head">
      <h2 id="health-head">Parser health</h2>
      <p class="faint">
        How often each field of the results was filled, over all organizations, against the week before.
      </p>
      <Problem error={error} />
      {!value && !error && <Spinner />}
      {value &&
        (value.providers.length ? (
          <Fields providers={value.providers} states={states} />
        ) : (
          <Empty title="Nothing was read yet">
            <p>
              It fills as answers are parsed. Ask something in the <a href="#/playground">playground</a>.
            </p>
          </Empty>
        ))}
    </section>
  );
}

function Fields({ providers, states }: { providers: ProviderHealth[]; states: HealthState[] }) {
  const [provider, setProvider] = useState("");
  const [state, setState] = useState("");
  const columns: Column<Row>[] = [
    { name: "Provider", value: (row) => row.provider },
    { name: "Surface", value: (row) => row.surface },
    { name: "Field", value: (row) => row.field, show: (row) => <code>{row.field}</code> },
    // Sorted by how bad it is, which is the order of the API's list.
    { name: "State", value: (row) => states.indexOf(row.state), show: (row) => <State state={row.state} /> },
    share("Last hour", (row) => row.lastHour),
    share("Last day", (row) => row.lastDay),
    { name: "Week before", numeric: true, value: (row) => row.baseline ?? -1, show: (row) => rateText(row.baseline) },
  ];
  const rows = providers
    .filter((p) => !provider || p.provider === provider)
    .flatMap((p) => p.fields.map((field): Row => ({ ...field, provider: p.provider, surface: p.surface })))
    .filter((row) => !state || row.state === state)
    .sort((a, b) => states.indexOf(b.state) - states.indexOf(a.state));
  return (
    <>
      <div class="usage-filters">
        <label class="field">
          Provider
          <select value={provider} onChange={(e) => setProvider(e.currentTarget.value)}>
            <option value="">all</option>
            {[...new Set(providers.map((p) => p.provider))].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          State
          <select value={state} onChange={(e) => setState(e.currentTarget.value)}>
            <option value="">all</option>
            {states.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <span class="faint" role="status">
          {number(rows.length)} fields
        </span>
      </div>
      <div class="usage-tall" tabIndex={0} role="region" aria-label="Parser health by field">
        <Table
          rows={rows}
          columns={columns}
          label="Parser health"
          rowKey={(row) => `${row.provider} ${row.surface} ${row.field}`}
        />
      </div>
      <Unknown providers={providers} />
    </>
  );
}

/** Headings of blocks of result pages that no parser knows. */
function Unknown({ providers }: { providers: ProviderHealth[] }) {
  const blocks = providers.flatMap((p) =>
    p.unknownBlocks.map((block) => ({ ...block, from: `${p.provider}, ${p.surface}` })),
  );
  if (!blocks.length) return null;
  return (
    <>
      <h3>Blocks that nobody understood in the last day</h3>
      <ul>
        {blocks.map((block) => (
          <li key={`${block.from} ${block.title}`}>
            {block.title}{" "}
            <span class="faint">
              {number(block.seen)}, {block.from}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
