// The overview of a tracker: how often a brand is named, and whether that changed.
import { useMemo } from "preact/hooks";
import { AsCall } from "../ascall";
import type { MetricRow } from "earshot";
import { CardTable } from "../table";
import { Loading, number, together } from "../ui";
import { addressOf, metricOf, numberQuery, periodOf } from "./address";
import { OpenAlerts } from "./alerts";
import { BesidesTheText } from "./besides";
import { FilterLine, NoBrands, NothingLeft } from "./filters";
import { Headline } from "./headline";
import { League, leagueMetrics } from "./league";
import { havingBrands, useCompare, useMetrics, useSources } from "./numbers";
import type { PanelBrand, TabProps } from "./pieces";
import { apiPath, Basis, GradeBadge, GradeReasons, leadOf, SampleData, Value } from "./pieces";
import { useSweeps } from "./points";
import { BrandTrend } from "./series";
import { Targets } from "./targets";
import { ShareBar, SourceType } from "./sources/source";
import { range } from "./words";

/** How many brands the tables show. */
const shownBrands = 12;

/** The parts of the metric that combines mentions and citations. */
const crossed = { both: "Named and cited", namedOnly: "Named only", citedOnly: "Cited only", neither: "Neither" };

export function Overview(props: TabProps) {
  const lead = leadOf(props.panel);
  return lead ? <OfBrand {...props} lead={lead} /> : <NoBrands tracker={props.tracker} />;
}

function OfBrand({ tracker, panel, lead }: TabProps & { lead: PanelBrand }) {
  const query = numberQuery(tracker);
  const metric = metricOf();
  const brands = [lead, ...panel.filter((brand) => brand !== lead)].slice(0, shownBrands);
  const having = havingBrands(brands);
  const names = [...leagueMetrics, ...Object.keys(crossed).map((name) => `namedAndCited.${name}`)];
  const asked = { ...query, metric: names.join(","), by: "brand", having };
  const totals = useMetrics(tracker.name, asked, tracker);
  const compare = { ...query, metric: metric === "visibility" ? metric : `visibility,${metric}`, having };
  const change = useCompare(tracker.name, compare, tracker);
  const sweeps = useSweeps(tracker);
  const rows = totals.value?.rows ?? [];
  const targets = [...new Set(rows.map(({ target }) => target))];
  const whole = targets[0];
  const row = rows.find((r) => r.brand === lead.name && r.target === whole && r.metric.startsWith("visibility@"));
  const verdicts = change.value?.rows.filter((r) => r.metric.startsWith("visibility@"));
  const ofMetric = useMemo(
    () => change.value?.rows.filter((r) => r.metric.startsWith(`${metric}@`)),
    [change.value, metric],
  );
  const compared = verdicts?.find((r) => r.brand === lead.name && r.target === whole);
  const grade = change.value?.grades.find(({ target }) => target === whole);
  const known = !!row && row.denominator > 0;
  const surfaces = targets.filter((target) => /^\*./.test(target)).map((target) => target.slice(1));
  return (
    <>
      <SampleData when={tracker.demo || totals.value?.madeUp} />
      <FilterLine tracker={tracker} surfaces={surfaces} against />
      <Loading of={together(totals, change)} lines={6} />
      {totals.value && !known && <NothingLeft tracker={tracker} />}
      {known && (
        <>
          <div class="two-to-one">
            <section class="card" aria-label="Headline">
              {surfaces.length > 1 && (
                <p class="faint">
                  Results of {surfaces.join(" and ")} are shown separately. These are for {whole.slice(1)}.
                </p>
              )}
              <Headline brand={lead} row={row} compared={compared} days={periodOf(tracker).days} />
              <Basis tracker={tracker.name} row={row} />
              <div class="side-by-side trust">
                <Crossed rows={rows.filter((r) => r.brand === lead.name && r.target === whole)} />
                {grade && (
                  <div>
                    <h2>
                      Data quality <GradeBadge grade={grade.grade} />
                    </h2>
                    <GradeReasons cut={grade} />
                  </div>
                )}
              </div>
            </section>
            <OpenAlerts tracker={tracker} />
          </div>
          <BrandTrend
            tracker={tracker}
            panel={panel}
            metric={metric}
            target={whole}
            compared={ofMetric}
            sweeps={sweeps}
          />
          <League
            tracker={tracker}
            panel={brands}
            rows={rows.filter(({ target }) => target === whole)}
            compared={verdicts}
          />
          {panel.length > brands.length && (
            <p class="faint">
              Showing {brands.length} of {number(panel.length)} brands
            </p>
          )}
          <Targets tracker={tracker} brand={lead} metric={metric} compared={ofMetric} sweeps={sweeps} />
          <BesidesTheText tracker={tracker} brands={brands} target={whole} />
          <TopSources tracker={tracker} />
        </>
      )}
      <AsCall path={apiPath(tracker.name, "/metrics")} query={asked} />
    </>
  );
}

/** How often the brand is named, cited, both or neither. */
function Crossed({ rows }: { rows: MetricRow[] }) {
  const values = Object.entries(crossed).map(([name, title]) => ({
    title,
    value: rows.find(({ metric }) => metric.startsWith(`namedAndCited.${name}@`))?.value,
  }));
  if (values.every(({ value }) => value == null)) return <div />;
  return (
    <div>
      <h2>Mentions and citations</h2>
      <span class="parts crossed" aria-hidden="true">
        {values.map(({ title, value }, i) => (
          <i key={title} class={`p${i}`} style={{ width: `${100 * (value ?? 0)}%` }} />
        ))}
      </span>
      <dl class="amounts">
        {values.map(({ title, value }, i) => [
          <dt key={title}>
            <i class={`swatch p${i}`} aria-hidden="true" /> {title}
          </dt>,
          <dd key={`${title}=`}>
            <Value of={value} />
          </dd>,
        ])}
      </dl>
    </div>
  );
}

const topSources = 7;

/** The domains that answers cite most. */
function TopSources({ tracker }: Pick<TabProps, "tracker">) {
  const query = { ...numberQuery(tracker), by: "domain" as const, limit: topSources };
  const loaded = useSources(tracker.name, query, tracker);
  const rows = loaded.value?.rows.slice(0, topSources);
  const most = Math.max(0.01, ...(rows ?? []).map(({ share }) => share ?? 0));
  return (
    <section class="card" aria-label="Top sources">
      <div class="title-line">
        <h2>Top sources</h2>
        <a href={addressOf(tracker.name, "sources")}>All sources</a>
      </div>
      <Loading of={loaded} lines={4} />
      {rows?.length === 0 && <p>No citations in this period</p>}
      {!!rows?.length && (
        <CardTable
          label="Top sources"
          rows={rows}
          rowKey={({ domain, target }) => `${domain} ${target}`}
          cells={{
            Domain: (row) => (
              <>
                {row.domain} <SourceType of={row} />
              </>
            ),
            "#Share of citations": ({ share }) => <Value of={share} />,
            "~Bar": ({ share }) => <ShareBar share={share} of={most} />,
            "Expected range": ({ interval }) => range(interval?.rerun),
            "#Citations": ({ citations, allCitations }) => `${number(citations)} of ${number(allCitations)}`,
          }}
        />
      )}
    </section>
  );
}
