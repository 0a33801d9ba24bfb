// The brands of a tracker: their names and matching rules, a test of new names, and names that answers mention often.
import { call } from "../../api";
import type { Brand, DiscoveredName, DiscoverReport, Tracker } from "earshot";
import { targetLabel } from "../../names";
import { dateText } from "../../time";
import { CardTable } from "../../table";
import { Empty, Loading, number, useLoad, type Fetched } from "../../ui";
import { addressOf, numberQuery } from "../address";
import { havingBrands, useMetrics } from "../numbers";
import { Badges, BrandMark, BrandName, Caution, lookOf, SampleData, Value } from "../pieces";
import type { PanelBrand, TabProps } from "../pieces";
import { Spark } from "../trend";
import { inTurn, sample } from "./report";
import { namesOf, Rules, switchesOf } from "./rules";
import { Trial } from "./trial";

export function Brands({ tracker, panel, parts }: TabProps) {
  const [wanted] = parts;
  const brands = tracker.definition?.brands ?? [];
  const brand = brands.find(({ name }) => name === wanted) ?? (wanted === undefined ? brands[0] : undefined);
  const found = useLoad(
    (signal) =>
      inTurn(() =>
        call("GET /v1/trackers/{name}/discover", { params: { name: tracker.name }, query: { limit: 50 }, signal }),
      ),
    [tracker],
  );
  // A name that is not tracked yet, from the list of frequent names.
  const proposed = wanted !== undefined && !brand ? wanted : undefined;
  return (
    <>
      <SampleData when={tracker.demo || found.value?.madeUp} />
      <div class="brands-columns">
        <PanelList tracker={tracker} brands={brands} panel={panel} chosen={brand?.name} />
        <div class="answer-main">
          {!brands.length && !proposed && (
            <Empty title="No brands yet">
              Add brands in the <a href={addressOf(tracker.name, "definition")}>settings</a>, or choose from the
              frequent names below.
            </Empty>
          )}
          {brand && <Names brand={brand} look={lookOf(panel, brand.name)} />}
          {(brand || proposed) && (
            <Trial key={brand?.name ?? proposed} tracker={tracker} panel={panel} brand={brand} name={proposed} />
          )}
        </div>
      </div>
      <Discovery tracker={tracker.name} found={found} />
      <Rules tracker={tracker} panel={panel} />
    </>
  );
}

type PanelListProps = { tracker: Tracker; brands: Brand[]; panel: PanelBrand[]; chosen?: string };

/** The most brands whose trend is shown, because one request reads all of them. */
const mostTrends = 20;

function PanelList({ tracker, brands, panel, chosen }: PanelListProps) {
  const having = havingBrands(panel.slice(0, mostTrends));
  const asked = { ...numberQuery(tracker), metric: "visibility", by: "sweep,brand", last: 7, having };
  const rows = useMetrics(tracker.name, having ? asked : undefined, tracker).value?.rows ?? [];
  const valuesOf = (brand: string) =>
    rows.filter((row) => row.brand === brand && row.target === rows[0].target).map(({ value }) => value);
  return (
    <nav class="card brands-list" aria-label="Brands" data-testid="panel">
      <h2>
        Brands <span class="faint">{number(brands.length)}</span>
      </h2>
      <ul class="plain-list">
        {brands.map((brand, i) => (
          <li key={brand.name}>
            <a
              href={addressOf(tracker.name, "brands", {}, brand.name)}
              aria-current={brand.name === chosen ? "true" : undefined}>
              <BrandName brand={panel[i]} />
            </a>
            <Visibility brand={panel[i]} values={valuesOf(brand.name)} />
            <div class="faint">
              {[
                ...namesOf(brand)
                  .slice(1)
                  .map(({ name }) => name),
                ...(brand.domains ?? []),
              ].join(", ") || "No alternative names or websites"}
            </div>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The newest visibility of a brand, with its trend. */
const Visibility = ({ brand, values }: { brand: PanelBrand; values: (number | null)[] }) =>
  values.length > 4 ? (
    <div>
      <Value of={values.at(-1)} /> <span class="faint">visibility</span> <Spark brand={brand} values={values} />
    </div>
  ) : null;

function Names({ brand, look }: { brand: Brand; look: number }) {
  const names = [
    ...namesOf(brand).map((name) => ({ text: name.name, rules: switchesOf(name), isDomain: false })),
    ...(brand.domains ?? []).map((text) => ({ text, rules: [], isDomain: true })),
  ];
  return (
    <section class="card">
      <h2>
        <BrandMark look={look} /> <bdi>{brand.name}</bdi>
      </h2>
      <p class="faint">
        A mention is one of these names in the visible text of an answer. Links and source titles don't count.
      </p>
      <CardTable
        label={`Names of ${brand.name}`}
        rows={names}
        rowKey={({ text, isDomain }) => `${text} ${isDomain}`}
        cells={{
          Name: ({ text }) => text,
          "Matching rules": ({ rules, isDomain }) => {
            if (isDomain)
              return <span class="faint">Website: counts as a mention, and its pages are sources of this brand</span>;
            return rules.length ? <Badges of={rules} /> : <span class="faint">Default</span>;
          },
        }}
      />
    </section>
  );
}

/** Names that many answers emphasize and that are not tracked. */
function Discovery({ tracker, found }: { tracker: string; found: Fetched<DiscoverReport> }) {
  const { value } = found;
  return (
    <section class="card" data-testid="discovery">
      <h2>Frequent names you don't track</h2>
      <Loading of={found} lines={3} />
      {value && (
        <>
          <p class="faint">Names that answers emphasize or list, in {sample(value)}</p>
          {value.cut && <Caution title="Incomplete.">There are too many different names to count all of them.</Caution>}
          {!value.names.length && <p>None: you track all frequent names.</p>}
          {value.names.length > 0 && (
            <CardTable
              label="Frequent names"
              rows={value.names}
              rowKey={({ name }) => name}
              cells={{
                Name: ({ name }) => name,
                "#Answers": ({ named }) => number(named),
                "#Share": ({ share }) => <Value of={share} />,
                "Appears as": ({ as }) => as.join(", "),
                "First seen": ({ firstSeen }) => dateText(firstSeen.slice(0, 10)),
                Targets: ({ targets }) => targets.map(targetLabel).join(", "),
                Examples: (found) => <Examples tracker={tracker} of={found} />,
                Action: ({ name }) => <a href={addressOf(tracker, "brands", {}, name)}>Test and add…</a>,
              }}
            />
          )}
        </>
      )}
    </section>
  );
}

const Examples = ({ tracker, of: { name, examples } }: { tracker: string; of: DiscoveredName }) => (
  <span class="nowrap">
    {examples.map((id, i) => (
      <a
        key={id}
        class="example"
        href={addressOf(tracker, "answers", {}, id)}
        aria-label={`Answer ${i + 1} with ${name}`}>
        {i + 1}
      </a>
    ))}
  </span>
);
