// Why did it change? One change of a brand's metric: where it happened, what answers said before and after, which
// sources came and went, and what else happened in the two periods.
import { AsCall } from "../../ascall";
import { ApiError } from "../../api";
import type { Alert, ComparedRow, CompareReport, MetricBreak, SeriesShift } from "earshot";
import { route } from "../../state";
import { dateText } from "../../time";
import { Button, Failed, Loading, Select, type Fetched } from "../../ui";
import { addressOf, metricOf, numberQuery, periodOf, setQuery } from "../address";
import { FilterLine, NoBrands } from "../filters";
import { havingBrands, useAlerts, useCompare } from "../numbers";
import type { PanelBrand, TabProps } from "../pieces";
import { apiPath, leadOf, SampleData, VerdictMark } from "../pieces";
import { metrics } from "../words";
import { Events } from "./events";
import { Moved } from "./moved";
import { Pair } from "./pair";
import { sentenceOf } from "./sentence";
import { Sources, useMoves } from "./sources";

export function Why(props: TabProps) {
  const { panel } = props;
  const brand = panel.find(({ name }) => name === route.value.query.brand) ?? leadOf(panel);
  return brand ? <OfBrand {...props} brand={brand} /> : <NoBrands tracker={props.tracker} />;
}

/** The most prompts that the page lists: about 40 KB. */
const mostPrompts = 50;

function OfBrand({ tracker, panel, brand }: TabProps & { brand: PanelBrand }) {
  const metric = metricOf();
  const query = numberQuery(tracker);
  const asked = { ...query, metric, having: havingBrands([brand]), sort: "change" as const };
  const compare = useCompare(tracker.name, asked, tracker);
  const rows = compare.value?.rows ?? [];
  const whole = rows.find(({ target }) => target.startsWith("*")) ?? rows[0];
  const surfaces = rows.filter(({ target }) => /^\*./.test(target)).map(({ target }) => target.slice(1));
  const [surface] = surfaces;
  // Results of different surfaces are never mixed. The page is about the first, unless the address says otherwise.
  const one = surfaces.length > 1 ? [query.filter, `surface:${surface}`].filter(Boolean).join(",") : query.filter;
  const targets = rows.filter(
    ({ target }) => !target.startsWith("*") && (surfaces.length < 2 || target.endsWith(`@${surface}`)),
  );
  const byPrompt = { ...asked, filter: one, by: "prompt", limit: mostPrompts } as const;
  const prompts = useCompare(tracker.name, byPrompt, tracker);
  const moves = useMoves(tracker, { ...query, filter: one }, brand.name);
  const alerts = useAlerts(tracker.name, { limit: 50 });
  const breaks = breaksOf(compare.value, whole?.target);
  // The parts below the first ones would jump if they were shown earlier.
  const ready = !!(compare.value || compare.error) && !!(prompts.value || prompts.error);
  return (
    <>
      <p>
        <a href={addressOf(tracker.name, "overview", { metric, brand: brand.name })}>← Overview</a>
      </p>
      <SampleData when={tracker.demo || compare.value?.madeUp} />
      <FilterLine tracker={tracker} surfaces={surfaces} against />
      <Loading of={compare} lines={4} />
      {compare.value && (
        <section class="card" aria-label="Why did it change?">
          <div class="title-line">
            <h2>Why did it change?</h2>
            <span class="filters">
              <Select
                aria-label="Brand"
                value={brand.name}
                options={panel.map(({ name }) => name)}
                onChoose={(name) => setQuery({ brand: name })}
              />
              <Select
                aria-label="Metric"
                value={metric}
                options={Object.entries(metrics)}
                onChoose={(name) => setQuery({ metric: name })}
              />
            </span>
          </div>
          <p class="why-sentence" data-testid="why" aria-busy={!prompts.value && !prompts.error}>
            {sentenceOf({
              brand: brand.name,
              metric: metrics[metric].toLowerCase(),
              whole,
              targets,
              prompts: prompts.value,
              sources: moves.value ?? [],
              breaks,
              shift: compare.value && shiftOf(alerts.value?.alerts ?? [], compare.value, whole),
            })}
          </p>
          {whole && <VerdictMark row={whole} own={brand.own} />}
          <p class="faint">
            Before: <Days of={compare.value.baseline} />. After: <Days of={compare.value.period} />.
          </p>
        </section>
      )}
      {targets.length > 1 && <Moved of="target" rows={targets} total={targets.length} brand={brand} />}
      <TooLarge of={prompts} days={periodOf(tracker).days} />
      {ready && prompts.value && !route.value.query.prompt && (
        <Moved of="prompt" rows={prompts.value.rows} total={prompts.value.total} brand={brand} />
      )}
      {ready && !!prompts.value?.rows.length && (
        <Pair tracker={tracker} panel={panel} brand={brand} asked={asked} prompts={prompts.value} />
      )}
      {ready && <Sources tracker={tracker} panel={panel} brand={brand.name} moves={moves} />}
      {compare.value && <Events tracker={tracker} compared={compare.value} alerts={alerts} />}
      <AsCall path={apiPath(tracker.name, "/compare")} query={byPrompt} />
    </>
  );
}

const Days = ({ of: { from, to } }: { of: CompareReport["period"] }) => (
  <>
    {dateText(from)} – {dateText(to)}
  </>
);

/** Returns the open breaks between the periods that concern a target; "*" means all targets. */
function breaksOf(compared: CompareReport | undefined, target = "*"): MetricBreak[] {
  return (compared?.breaks ?? []).filter(
    (one) => one.open && (!one.target || target.startsWith("*") || target.split("@")[0] === one.target),
  );
}

/** Returns the newest shift that an alert found in the two periods, for the brand, metric and targets of the page. */
function shiftOf(alerts: Alert[], { baseline, period }: CompareReport, whole?: ComparedRow): SeriesShift | undefined {
  // An alert is about all prompts of a target.
  if (!whole || route.value.query.prompt || route.value.query.tag) return undefined;
  return alerts
    .flatMap(({ shift }) => shift ?? [])
    .find(
      (shift) =>
        shift.brand === whole.brand &&
        whole.metric.startsWith(`${shift.metric}@`) &&
        (whole.change ?? 0) * (shift.to - shift.from) > 0 &&
        shift.since >= baseline.from &&
        shift.since.slice(0, 10) <= period.to &&
        (whole.target.startsWith("*") || whole.target === shift.target),
    );
}

/** The error of the comparison by prompt; with a shorter period if there are too many answers. */
function TooLarge({ of, days }: { of: Fetched<CompareReport>; days: number }) {
  const { error, value, again } = of;
  if (!error) return <Loading of={of} lines={6} />;
  const refused = error instanceof ApiError && error.code === "VALIDATION_ERROR";
  return (
    <section class="card" aria-label="Prompts">
      <h2>Prompts</h2>
      <Failed error={error} again={again} stale={!!value} />
      {refused && days > 7 && (
        <Button text="Show the last 7 days" onClick={() => setQuery({ days: "7", from: "", to: "" })} />
      )}
    </section>
  );
}
