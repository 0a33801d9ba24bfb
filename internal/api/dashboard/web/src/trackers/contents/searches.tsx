// The searches that assistants ran before they answered.
import { call } from "../../api";
import type { SearchRow } from "earshot";
import { number } from "../../ui";
import { addressOf } from "../address";
import { BrandMark, lookOf, Value, type PanelBrand, type TabProps } from "../pieces";
import { ContentList, seenCells } from "./list";
import { partsOf } from "./marked";

export function Searches({ tracker, panel }: TabProps) {
  return (
    <ContentList
      tracker={tracker}
      panel={panel}
      name="searches"
      option="searchQueries"
      about="Missed: answers that read a competitor's page and none of yours. The most missed searches come first."
      load={(request) => call("GET /v1/trackers/{name}/searches", request)}
      rowKey={({ search }) => search}
      cells={{
        Search: (row: SearchRow) => (
          <>
            <Marked search={row.search} added={row.added} />
            <div class="faint">
              <a href={addressOf(tracker.name, "prompts", { prompt: String(row.promptId) })}>{row.prompt}</a>
              {row.dropped.length > 0 && (
                <>
                  , without <del>{row.dropped.join(" ")}</del>
                </>
              )}
            </div>
          </>
        ),
        "#Missed": ({ missed }) => <Value of={missed} show={number} />,
        "#Answers": ({ answers }) => <Value of={answers} show={number} />,
        "#Prompts": ({ prompts }) => <Value of={prompts} show={number} />,
        "Pages retrieved": (row) => <Read row={row} panel={panel} />,
        ...seenCells(tracker.name),
      }}
      csv={{
        search: (row) => row.search,
        missed: (row) => row.missed,
        answers: (row) => row.answers,
        prompts: (row) => row.prompts,
        prompt: (row) => row.prompt,
        added: (row) => row.added.join(" "),
        dropped: (row) => row.dropped.join(" "),
        names: (row) => row.names.join(", "),
        withSources: (row) => row.withSources,
        ...Object.fromEntries(
          panel.flatMap(({ name }) => {
            const of = (row: SearchRow) => row.brands.find(({ brand }) => brand === name);
            return [
              [`${name} retrieved`, (row: SearchRow) => of(row)?.retrieved],
              [`${name} cited`, (row: SearchRow) => of(row)?.cited],
            ];
          }),
        ),
        targets: (row) => row.targets.join(", "),
        firstSeen: (row) => row.firstSeen,
        lastSeen: (row) => row.lastSeen,
        newest: (row) => row.newest,
      }}
    />
  );
}

/** A search in which the words that the prompt does not have are marked. */
const Marked = ({ search, added }: { search: string; added: string[] }) => (
  <>
    {partsOf(search, added).map(({ text, isAdded }, i) =>
      isAdded ? (
        <mark key={i} class="m">
          {text}
        </mark>
      ) : (
        text
      ),
    )}
  </>
);

/** How often pages of the brands were retrieved and cited: own brands, and other brands with a page. */
function Read({ row: { brands, withSources }, panel }: { row: SearchRow; panel: PanelBrand[] }) {
  if (!withSources) return <span class="faint">Not reported</span>;
  return (
    <ul class="plain-list">
      {brands
        .filter(({ own, retrieved }) => own || retrieved > 0)
        .map(({ brand, share, cited }) => (
          <li key={brand}>
            <BrandMark look={lookOf(panel, brand)} /> <bdi>{brand}</bdi> <Value of={share} />{" "}
            <span class="faint">{number(cited)} cited</span>
          </li>
        ))}
    </ul>
  );
}
