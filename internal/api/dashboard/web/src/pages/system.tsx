// The operator's page: the upstreams of each provider.
import { AsCall } from "../ascall";
import { call } from "../api";
import type { ModelState, ProviderUpstreams, Upstream, UpstreamState } from "earshot";
import { productName, upstreamName } from "../names";
import { span } from "../tasks/pieces";
import { CardTable, type Cells } from "../table";
import { Loading, number, percent, useLoad } from "../ui";

const stateNames: Record<UpstreamState, string> = {
  ready: "Ready",
  circuitOpen: "Paused after failures",
  ceilingReached: "Daily ceiling reached",
  notConfigured: "Not configured",
};
const stateLooks: Record<UpstreamState, string> = {
  ready: "good",
  circuitOpen: "bad",
  ceilingReached: "warn",
  notConfigured: "",
};

const modelLooks: Record<ModelState, string> = { current: "", ending: "warn", ended: "bad" };

function Model({ model, modelState, modelEndsOn }: Upstream) {
  if (!model || !modelState) return <>–</>;
  const label = modelState === "ended" ? `Ended ${modelEndsOn}` : `Ends ${modelEndsOn}`;
  return (
    <>
      {model} {modelState !== "current" && <span class={`badge ${modelLooks[modelState]}`}>{label}</span>}
    </>
  );
}

const dollars = (usd: number) => `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;

const cells: Cells<Upstream> = {
  Upstream: (u) => upstreamName(u.name),
  State: (u) => <span class={`badge ${stateLooks[u.state]}`}>{stateNames[u.state]}</span>,
  Model: (u) => <Model {...u} />,
  "#Requests": (u) => (u.state === "notConfigured" ? "–" : number(u.requests)),
  "#Answered": (u) => (u.answeredShare == null ? "–" : percent(u.answeredShare)),
  "#Median time": (u) => span(u.p50Ms),
  "#95 % within": (u) => span(u.p95Ms),
  "#Waiting": (u) => (u.surface === "vendor" && u.state !== "notConfigured" ? number(u.openTickets) : "–"),
  "#Price": (u) => (u.priceUsd == null ? "–" : dollars(u.priceUsd)),
  "#Spent today": (u) => dollars(u.spentTodayUsd) + (u.ceilingUsd == null ? "" : ` (ceiling ${dollars(u.ceilingUsd)})`),
};

export function System() {
  const loaded = useLoad((signal) => call("GET /v1/upstreams", { signal }), []);
  return (
    <>
      <h1>System</h1>
      <h2>Upstreams</h2>
      <p class="faint">
        Where answers come from, in the order in which upstreams are asked. The table counts the requests, times and
        costs of your organization in this hour and the hour before. The operator adds upstreams and their keys in the
        settings of this server.
      </p>
      <Loading of={loaded} lines={6} />
      <div class="grid">
        {loaded.value?.providers.map((p) => (
          <Provider key={p.provider} {...p} />
        ))}
        <AsCall path="/v1/upstreams" />
      </div>
    </>
  );
}

function Provider({ provider, upstreams }: ProviderUpstreams) {
  const id = `upstreams-${provider.replace("/", "-")}`;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{productName(provider)}</h2>
      <CardTable
        label={`Upstreams of ${productName(provider)}`}
        rows={upstreams}
        rowKey={(u) => u.name}
        cells={cells}
        testid={id}
      />
    </section>
  );
}
