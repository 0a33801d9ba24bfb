// The health of the parsers: how often they find each field.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { FieldHealth, FieldShare, HealthState, Provider, ProviderHealth } from "earshot";
import { productName } from "../names";
import { choices } from "../openapi";
import { calm, useLive } from "../tasks/live";
import { type Column, Table } from "../table";
import { counted, Empty, Loading, number, percent, Select, useLoad } from "../ui";

type Row = FieldHealth & { provider: Provider; surface: string };

const looks: Record<HealthState, string> = { unknown: "", ok: "good", low: "warn", alarm: "bad" };
const stateNames: Record<HealthState, string> = { unknown: "Unknown", ok: "OK", low: "Low", alarm: "Alarm" };
const State = ({ state }: { state: HealthState }) => <span class={`badge ${looks[state]}`}>{stateNames[state]}</span>;

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
  const loaded = useLive((signal) => call("GET /v1/health/extraction", { signal }), [], calm);
  const { value } = loaded;
  const states = useLoad(() => choices("HealthState"), []).value ?? [];
  return (
    <section class="card" aria-labelledby="health-head">
      <h2 id="health-head">Data extraction</h2>
      <p class="faint">
        How often each field of the results was found, for all organizations, compared with the week before
      </p>
      <Loading of={loaded} />
      {value &&
        (value.providers.length ? (
          <Fields providers={value.providers} states={states} />
        ) : (
          <Empty title="No data yet" />
        ))}
    </section>
  );
}

function Fields({ providers, states }: { providers: ProviderHealth[]; states: HealthState[] }) {
  const [provider, setProvider] = useState("");
  const [state, setState] = useState("");
  const columns: Column<Row>[] = [
    { name: "Platform", value: (row) => productName(row.provider) },
    { name: "Surface", value: (row) => row.surface },
    { name: "Field", value: (row) => row.field, show: (row) => <code>{row.field}</code> },
    // Sorted by severity, which is the order of the API's enum.
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
          Platform
          <Select
            all="All"
            value={provider}
            options={[...new Set(providers.map((p) => p.provider))].map((name) => [name, productName(name)])}
            onChoose={setProvider}
          />
        </label>
        <label class="field">
          State
          <Select
            all="All"
            value={state}
            options={states.map((name) => [name, stateNames[name]])}
            onChoose={setState}
          />
        </label>
        <span class="faint" role="status">
          {counted(rows.length, "field")}
        </span>
      </div>
      <div class="usage-tall" tabIndex={0} role="region" aria-label="Data extraction by field">
        <Table
          rows={rows}
          columns={columns}
          label="Data extraction"
          rowKey={(row) => `${row.provider} ${row.surface} ${row.field}`}
        />
      </div>
      <Unknown providers={providers} />
    </>
  );
}

/** The titles of result page blocks that no parser knows. */
function Unknown({ providers }: { providers: ProviderHealth[] }) {
  const blocks = providers.flatMap((p) =>
    p.unknownBlocks.map((block) => ({ ...block, from: `${productName(p.provider)}, ${p.surface}` })),
  );
  if (!blocks.length) return null;
  return (
    <>
      <h3>Unknown page blocks in the last day</h3>
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
