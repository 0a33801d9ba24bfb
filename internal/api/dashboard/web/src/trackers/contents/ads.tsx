// The ads that answers show.
import { call } from "../../api";
import type { AdRow } from "earshot";
import { External } from "../../external";
import { targetLabel } from "../../names";
import { number } from "../../ui";
import { Badges, StrongValue, Value, type TabProps } from "../pieces";
import { Brands, ContentList, seenCells } from "./list";

export function Ads({ tracker, panel }: TabProps) {
  return (
    <ContentList
      tracker={tracker}
      panel={panel}
      name="ads"
      option="ads"
      about="Share: of the answers that report ads."
      load={(request) => call("GET /v1/trackers/{name}/ads", request)}
      rowKey={({ advertiser, domain, title, text }) => JSON.stringify([advertiser, domain, title, text])}
      cells={{
        Ad: (row: AdRow) => (
          <>
            <External href={row.url}>{row.title}</External>
            {row.text && <div>{row.text}</div>}
          </>
        ),
        Advertiser: (row) => (
          <>
            {row.advertiser ?? row.domain ?? <span class="faint">Unknown</span>}
            {row.advertiser && row.domain && <div class="faint">{row.domain}</div>}
            <Brands of={row.brands} panel={panel} />
          </>
        ),
        Shown: (row) => (
          <>
            <Badges of={row.blocks} />
            <div class="faint">{row.targets.map(targetLabel).join(", ")}</div>
          </>
        ),
        "#Share": ({ share }) => <StrongValue of={share} />,
        "#Answers": ({ answers }) => <Value of={answers} show={number} />,
        ...seenCells(tracker.name),
      }}
      csv={{
        advertiser: (row) => row.advertiser,
        domain: (row) => row.domain,
        title: (row) => row.title,
        text: (row) => row.text,
        url: (row) => row.url,
        brands: (row) => row.brands.join(", "),
        blocks: (row) => row.blocks.join(", "),
        targets: (row) => row.targets.join(", "),
        share: (row) => row.share,
        shown: (row) => row.shown,
        answers: (row) => row.answers,
        prompts: (row) => row.prompts,
        firstSeen: (row) => row.firstSeen,
        lastSeen: (row) => row.lastSeen,
        newest: (row) => row.newest,
      }}
    />
  );
}
