// The overview of a tracker: where a brand stands, and whether that changed.
import { AsCall } from "../ascall";
import type { MetricRow } from "../api.gen";
import { number } from "../ui";
import { route } from "../state";
import { addressOf, keptFilters, numberQuery, periodOf } from "./address";
import { OpenAlerts } from "./alerts";
import { FilterLine, NoBrands, NothingLeft } from "./filters";
import { Headline } from "./headline";
import { League, leagueMetrics } from "./league";
import { havingBrands, useCompare, useMetrics, useSources } from "./numbers";
import { Basis, Failed, GradeBadge, GradeReasons, leadOf, MadeUp, Skeleton, Value, type PanelBrand } from "./pieces";
import { BrandTrend, Targets, useSweeps } from "./series";
import type { TabProps } from "./pieces";
import { metrics, range, type MetricName } from "./words";

/** The metric of the address. */
function metricOf(): MetricName {
  const { metric = "" } = route.value.query;
  return Object.hasOwn(metrics, metric) ? (metric as MetricName) : "visibility";
}

/** How many brands of a panel the tables show; the others are a choice in the filters of the brands' page. */
const shownBrands = 12;
const crossed = ["both", "namedOnly", "citedOnly", "neither"] as const;

export function Overview(props: TabProps) {
  const lead = leadOf(props.panel);
  return lead ? <OfBrand {...props} lead={lead} /> : <NoBrands tracker={props.tracker} />;
}

function OfBrand({ tracker, panel, lead }: TabProps & { lead: PanelBrand }) {
  const query = numberQuery(tracker);
  const metric = metricOf();
  const brands = [lead, ...panel.filter((brand) => brand !== lead)].slice(0, shownBrands);
  const having = havingBrands(brands);
  const asked = {
    ...query,
    metric: [...leagueMetrics, ...crossed.map((name) => `namedAndCited.${name}`)].join(","),
    by: "brand",
    having,
  };
  const totals = useMetrics(tracker.name, asked, tracker);
  const change = useCompare(
    tracker.name,
    { ...query, metric: metric === "visibility" ? metric : `visibility,${metric}`, having },
    tracker,
  );
  const sweeps = useSweeps(tracker);
  const rows = totals.value?.rows ?? [];
  const targets = [...new Set(rows.map(({ target }) => target))];
  const whole = targets[0];
  const row = rows.find((r) => r.brand === lead.name && r.target === whole && r.metric.startsWith("visibility@"));
  const verdicts = change.value?.rows.filter((r) => r.metric.startsWith("visibility@"));
  const compared = verdicts?.find((r) => r.brand === lead.name && r.target === whole);
  const grade = change.value?.grades.find(({ target }) => target === whole);
  const known = !!row && row.denominator > 0;
  const surfaces = targets.filter((target) => /^\*./.test(target)).map((target) => target.slice(1));
  return (
    <>
      <MadeUp when={totals.value?.madeUp} />
      <FilterLine tracker={tracker} surfaces={surfaces} against />
      <Failed
        error={totals.error ?? change.error}
        again={() => {
          totals.again();
          change.again();
        }}
        stale={!!totals.value}
      />
      {!totals.value && !totals.error && <Skeleton lines={6} label="Loading the numbers" />}
      {totals.value && !known && <NothingLeft tracker={tracker} />}
      {known && (
        <>
          <div class="two-to-one">
            <section class="card" aria-label="Headline">
              {surfaces.length > 1 && (
                <p class="faint">
                  Answers of {surfaces.join(" and ")} are never mixed; this is {whole.slice(1)}.
                </p>
              )}
              <Headline brand={lead} row={row} compared={compared} days={periodOf(tracker).days} />
              <Basis tracker={tracker.name} row={row} />
              <div class="side-by-side trust">
                <div>
                  <Crossed rows={rows.filter((r) => r.brand === lead.name && r.target === whole)} />
                </div>
                {grade && (
                  <div>
                    <h2>
                      Why this can be trusted <GradeBadge grade={grade.grade} />
                    </h2>
                    <GradeReasons cut={grade} />
                  </div>
                )}
              </div>
            </section>
            <OpenAlerts tracker={tracker.name} />
          </div>
          <BrandTrend tracker={tracker} panel={panel} metric={metric} sweeps={sweeps} />
          <League
            tracker={tracker}
            panel={brands}
            rows={rows.filter(({ target }) => target === whole)}
            compared={verdicts}
          />
          {panel.length > brands.length && (
            <p class="faint">
              {brands.length} of {number(panel.length)} brands are shown.
            </p>
          )}
          <Targets
            tracker={tracker}
            brand={lead}
            metric={metric}
            compared={change.value?.rows.filter((r) => r.metric.startsWith(`${metric}@`))}
            sweeps={sweeps}
          />
          <TopSources {...{ tracker }} />
        </>
      )}
      <AsCall path={`/v1/trackers/${encodeURIComponent(tracker.name)}/metrics`} query={asked} />
    </>
  );
}

const crossedWords = {
  both: "Named, and a site of it cited",
  namedOnly: "Named only",
  citedOnly: "Cited only",
  neither: "Neither",
};

/** How often the brand is named, cited, both or neither. */
function Crossed({ rows }: { rows: MetricRow[] }) {
  const values = crossed.map((name) => ({
    name,
    value: rows.find(({ metric }) => metric.startsWith(`namedAndCited.${name}@`))?.value,
  }));
  if (values.every(({ value }) => value == null)) return null;
  return (
    <>
      <h2>Named and cited</h2>
      <span class="parts crossed" aria-hidden="true">
        {values.map(({ name, value }, i) => (
          <i key={name} class={`p${i}`} style={{ width: `${100 * (value ?? 0)}%` }} />
        ))}
      </span>
      <dl class="amounts">
        {values.map(({ name, value }, i) => [
          <dt key={name}>
            <i class={`swatch p${i}`} aria-hidden="true" /> {crossedWords[name]}
          </dt>,
          <dd key={`${name}=`}>
            <Value of={value} />
          </dd>,
        ])}
      </dl>
    </>
  );
}

const topSources = 7;

/** The domains that answers cite most. */
function TopSources({ tracker }: Pick<TabProps, "tracker">) {
  const { value, error, again } = useSources(
    tracker.name,
    { ...numberQuery(tracker), by: "domain", limit: topSources },
    tracker,
  );
  const most = Math.max(0.01, ...(value?.rows ?? []).map(({ share }) => share ?? 0));
  return (
    <section class="card" aria-label="Top sources">
      <div class="title-line">
        <h2>Top sources</h2>
        <a href={addressOf(tracker.name, "sources", keptFilters())}>All sources</a>
      </div>
      <p class="faint">Share of all citations</p>
      <Failed error={error} again={again} stale={!!value} />
      {!value && !error && <Skeleton label="Loading the sources" />}
      {value?.rows.length === 0 && <p>No answer cites anything in this time.</p>}
      {!!value?.rows.length && (
        <table class="row-cards">
          <thead>
            <tr>
              <th scope="col">Domain</th>
              <th scope="col" class="number">
                Share
              </th>
              <th scope="col" class="wide-only">
                <span class="hidden-words">Share as a bar</span>
              </th>
              <th scope="col">Asked again</th>
              <th scope="col" class="number">
                Citations
              </th>
            </tr>
          </thead>
          <tbody>
            {value.rows.slice(0, topSources).map((row) => (
              <tr key={row.domain}>
                <th scope="row" data-label="Domain">
                  {row.domain} <SourceType type={row.type} brand={row.brand} />
                </th>
                <td data-label="Share" class="number">
                  <Value of={row.share} />
                </td>
                <td class="rail-cell wide-only">
                  <span class="rail" aria-hidden="true">
                    <i style={{ left: 0, width: `${(100 * (row.share ?? 0)) / most}%` }} />
                  </span>
                </td>
                <td data-label="Asked again">{range(row.interval?.rerun)}</td>
                <td data-label="Citations" class="number">
                  {number(row.citations)} of {number(row.allCitations)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** What kind of source it is; of a brand of the panel, whose. */
export function SourceType({ type, brand }: { type: string; brand?: string }) {
  return (
    <span class={`badge ${type === "own" ? "own" : type === "rival" ? "rival" : ""}`}>
      {type}
      {brand && type === "rival" && `: ${brand}`}
    </span>
  );
}
