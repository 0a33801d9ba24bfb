// The panel: names and how they are found, a try before a name takes effect, names that
// the panel lacks, and the analysis of what is kept by the names as they are.
import { call } from "../../api";
import type { Brand, DiscoveredName, DiscoverReport } from "../../api.gen";
import { counted, Empty, Heads, number, useLoad } from "../../ui";
import { addressOf, keptFilters } from "../address";
import { BrandMark, BrandName, Caution, Failed, MadeUp, Skeleton, Value, type PanelBrand } from "../pieces";
import type { TabProps } from "../pieces";
import { dayWords } from "../words";
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
  // A name that is not in the panel, as discovery proposes it.
  const proposed = wanted !== undefined && !brand ? wanted : undefined;
  return (
    <>
      <MadeUp when={tracker.demo || found.value?.madeUp} />
      <div class="brands-columns">
        <PanelList tracker={tracker.name} brands={brands} panel={panel} chosen={brand?.name} />
        <div class="answer-main">
          {!brands.length && !proposed && (
            <Empty title="No brands yet">
              Add them in the <a href={addressOf(tracker.name, "definition")}>definition</a>, or see below who is often
              named.
            </Empty>
          )}
          {brand && <Names brand={brand} look={panel.find(({ name }) => name === brand.name)?.look ?? 6} />}
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

type PanelListProps = { tracker: string; brands: Brand[]; panel: PanelBrand[]; chosen?: string };

function PanelList({ tracker, brands, panel, chosen }: PanelListProps) {
  return (
    <nav class="card brands-list" aria-label="Brands of the panel" data-testid="panel">
      <h2>
        Panel <span class="faint">{counted(brands.length, "brand")}</span>
      </h2>
      <ul class="plain-list">
        {brands.map((brand, i) => (
          <li key={brand.name}>
            <a
              href={addressOf(tracker, "brands", keptFilters(), brand.name)}
              aria-current={brand.name === chosen ? "true" : undefined}>
              <BrandName brand={panel[i]} />
            </a>
            <div class="faint">
              {[
                ...namesOf(brand)
                  .slice(1)
                  .map(({ name }) => name),
                ...(brand.domains ?? []),
              ].join(", ") || "no other names, no domains"}
            </div>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Names({ brand, look }: { brand: Brand; look: number }) {
  return (
    <section class="card">
      <h2>
        <BrandMark look={look} /> {brand.name}: names
      </h2>
      <p class="faint">
        A mention is found by these names in the text that a reader sees. Links and titles of sources do not count.
      </p>
      <table class="row-cards" aria-label={`Names of ${brand.name}`}>
        <Heads names={["Name", "Switches"]} />
        <tbody>
          {namesOf(brand).map((name) => (
            <tr key={name.name}>
              <th scope="row">
                <strong>{name.name}</strong>
              </th>
              <td data-label="Switches">
                {switchesOf(name).map((one) => (
                  <span key={one} class="badge">
                    {one}
                  </span>
                ))}
                {!switchesOf(name).length && <span class="faint">none</span>}
              </td>
            </tr>
          ))}
          {brand.domains?.map((domain) => (
            <tr key={domain}>
              <th scope="row">{domain}</th>
              <td data-label="Switches" class="faint">
                domain: a mention of kind “domain” in prose, and whose site a source is
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type DiscoveryProps = { tracker: string; found: { value?: DiscoverReport; error: unknown; again: () => void } };

/** Names that answers emphasise and that the panel lacks. */
function Discovery({ tracker, found: { value, error, again } }: DiscoveryProps) {
  return (
    <section class="card" data-testid="discovery">
      <h2>Often named, not in the panel</h2>
      <Failed error={error} again={again} stale={!!value} />
      {!value && !error && <Skeleton lines={3} label="Looking for names" />}
      {value && (
        <>
          <p class="faint">What answers emphasise, list or tag as an entity, in {sample(value)}.</p>
          {value.cut && (
            <Caution title="Not all names.">
              There were more different names than could be counted; those that came last are left out.
            </Caution>
          )}
          {!value.names.length && <p>Nobody else: every name that stands out is of the panel.</p>}
          {value.names.length > 0 && (
            <table class="row-cards" aria-label="Names that the panel lacks">
              <Heads
                names={["Name", "#Answers", "#Share", "Stands out as", "First seen", "Targets", "Examples", "Add"]}
              />
              <tbody>
                {value.names.map((found) => (
                  <Discovered key={found.name} tracker={tracker} of={found} />
                ))}
              </tbody>
            </table>
          )}
        </>
      )}
    </section>
  );
}

type DiscoveredProps = { tracker: string; of: DiscoveredName };

function Discovered({ tracker, of: { name, named, share, as, firstSeen, targets, examples } }: DiscoveredProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-label="Answers" class="number">
        {number(named)}
      </td>
      <td data-label="Share" class="number">
        <Value of={share} />
      </td>
      <td data-label="Stands out as">{as.join(", ")}</td>
      <td data-label="First seen">{dayWords(firstSeen)}</td>
      <td data-label="Targets">{targets.join(", ")}</td>
      <td data-label="Examples" class="nowrap">
        {examples.map((id, i) => (
          <a
            key={id}
            class="example"
            href={addressOf(tracker, "answers", {}, id)}
            aria-label={`Answer ${i + 1} with ${name}`}>
            {i + 1}
          </a>
        ))}
      </td>
      <td data-label="Add">
        <a href={addressOf(tracker, "brands", keptFilters(), name)}>Try it, add it…</a>
      </td>
    </tr>
  );
}
