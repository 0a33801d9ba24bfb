// The products that answers show, and the merchants that offer them.
import { call } from "../../api";
import type { MerchantOffers, ProductPrice, ProductRow } from "earshot";
import { External } from "../../external";
import { CardTable } from "../../table";
import { number } from "../../ui";
import { leadOf, StrongValue, Value, type PanelBrand, type TabProps } from "../pieces";
import { Spark } from "../trend";
import { Brands, ContentList, seenCells } from "./list";

export function Products({ tracker, panel }: TabProps) {
  return (
    <ContentList
      tracker={tracker}
      panel={panel}
      name="products"
      option="shopping"
      about="Share: of the answers that report products. Prices are not converted."
      load={(request) => call("GET /v1/trackers/{name}/products", request)}
      rowKey={({ product }) => product}
      cells={{
        Product: (row: ProductRow) => (
          <>
            <External href={row.url}>{row.title}</External>
            <Brands of={row.brands} panel={panel} />
          </>
        ),
        "#Share": ({ share }) => <StrongValue of={share} />,
        "#Answers": ({ answers }) => <Value of={answers} show={number} />,
        "#Median rank": ({ medianRank }) => <Value of={medianRank} show={number} />,
        Merchants: (row) => <FirstMerchants of={row.merchants} />,
        "Median price": (row) => <Prices of={row.prices} brand={leadOf(panel)} />,
        ...seenCells(tracker.name),
      }}
      csv={{
        product: (row) => row.product,
        title: (row) => row.title,
        url: (row) => row.url,
        brands: (row) => row.brands.join(", "),
        share: (row) => row.share,
        answers: (row) => row.answers,
        prompts: (row) => row.prompts,
        medianRank: (row) => row.medianRank,
        merchants: (row) => row.merchants.map(merchantName).join(", "),
        prices: (row) => row.prices.map(({ median, currency }) => `${median} ${currency}`).join(", "),
        targets: (row) => row.targets.join(", "),
        firstSeen: (row) => row.firstSeen,
        lastSeen: (row) => row.lastSeen,
        newest: (row) => row.newest,
      }}
      after={({ merchants }) => merchants.length > 0 && <Merchants of={merchants} />}
    />
  );
}

const merchantName = ({ name, domain, merchant }: MerchantOffers) => name ?? domain ?? merchant;

const shownMerchants = 3;

function FirstMerchants({ of }: { of: MerchantOffers[] }) {
  if (!of.length) return <span class="faint">None</span>;
  return (
    <ul class="plain-list backs">
      {of.slice(0, shownMerchants).map((one) => (
        <li key={one.merchant}>
          {merchantName(one)} <span class="faint">{number(one.offers)}</span>
        </li>
      ))}
      {of.length > shownMerchants && <li class="faint">and {number(of.length - shownMerchants)} more</li>}
    </ul>
  );
}

/** The prices in each currency, with a chart of the medians by sweep. */
function Prices({ of, brand }: { of: ProductPrice[]; brand?: PanelBrand }) {
  if (!of.length) return <span class="faint">None</span>;
  return (
    <ul class="plain-list">
      {of.map(({ currency, median, lowest, points }) => {
        const medians = points.map((point) => point.median);
        const [least, most] = [Math.min(...medians), Math.max(...medians)];
        const margin = (most - least) / 4 || 1;
        return (
          <li key={currency}>
            <Value of={median} show={number} /> {currency}
            {medians.length > 1 && (
              <Spark
                brand={brand ?? { name: currency, own: false, look: 0 }}
                values={medians.map((value) => value - least + margin)}
                top={most - least + 2 * margin}
              />
            )}
            <div class="faint">
              {medians.length > 1 && `${number(medians[0])} → ${number(medians[medians.length - 1])}, `}
              from {number(lowest)}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

const Merchants = ({ of }: { of: MerchantOffers[] }) => (
  <section class="card" data-testid="merchants">
    <h2>Merchants</h2>
    <p class="faint">A merchant counts once for each product of an answer.</p>
    <CardTable
      label="Merchants"
      rows={of}
      rowKey={({ merchant }) => merchant}
      cells={{
        Merchant: (row) => merchantName(row),
        Domain: ({ domain }) => domain ?? <span class="faint">Unknown</span>,
        "#Offers": ({ offers }) => <Value of={offers} show={number} />,
        "#Share of offers": ({ share }) => <StrongValue of={share} />,
      }}
    />
  </section>
);
