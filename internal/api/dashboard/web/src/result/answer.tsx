// The answer of an assistant.
import type { ComponentChildren } from "preact";
import { useId, useMemo } from "preact/hooks";
import type { Answer } from "earshot";
import { Ads, PlaceCards, ProductCards, ShoppingCards, VideoCards } from "./cards";
import { linksOf, Paragraphs, tokensOf, TokenView } from "./markdown";
import { Queries, Section } from "./pieces";
import { Chip, ChipRow, SourceCards, type Pill } from "./sources";

export function AnswerView({ result, onAsk }: { result: Answer; onAsk?: (query: string) => void }) {
  const id = useId();
  const products = result.shoppingCards?.reduce((n, card) => n + card.products.length, 0);
  return (
    <article class="answer" data-testid="answer">
      <Cited answer={id} text={result.text} markdown={result.markdown} pills={result.citationPills} />
      {result.entities.length > 0 && (
        <div class="badges" data-testid="entities">
          {result.entities.map((entity, i) => (
            <span key={i} class="badge" title={entity.type}>
              {entity.name} <span class="faint">{entity.type}</span>
            </span>
          ))}
        </div>
      )}
      <Section title="Sources" count={result.sources.length} id="sources">
        <SourceCards answer={id} sources={result.sources} />
      </Section>
      <Section title="Ads" count={result.ads?.length} id="ads">
        <Ads ads={result.ads} />
      </Section>
      <Section title="Products with offers" count={result.productResults?.length} id="product-results">
        <ProductCards products={result.productResults} />
      </Section>
      <Section title="Shopping" count={products} id="shopping">
        <ShoppingCards cards={result.shoppingCards} />
      </Section>
      <Section title="Products in the text" count={result.inlineProducts?.length} id="inline-products">
        <ProductCards products={result.inlineProducts} />
      </Section>
      <Section title="Places" count={result.places?.length} id="places">
        <PlaceCards places={result.places} />
      </Section>
      <Section title="Videos" count={result.videos?.length} id="videos">
        <VideoCards videos={result.videos} />
      </Section>
      <Section title="Search queries" count={result.searchQueries.length} id="search-queries">
        <Queries of={result.searchQueries} />
      </Section>
      <Section title="Map searches" count={result.mapSearchQueries.length}>
        <Queries of={result.mapSearchQueries} />
      </Section>
      <Section title="Related questions" count={result.relatedQueries.length} id="related-queries">
        <Queries of={result.relatedQueries} onAsk={onAsk} />
      </Section>
    </article>
  );
}

type CitedProps = { answer: string; text?: string; markdown?: string; pills: Pill[] };

/** A text with its citations: inside the text if the Markdown links them, otherwise below it. */
export function Cited({ answer, text, markdown, pills }: CitedProps) {
  const tokens = useMemo(() => (markdown ? tokensOf(markdown) : undefined), [markdown]);
  const byLink = useMemo(
    () => new Map(pills.flatMap((pill) => addresses(pill).map((address) => [address, pill]))),
    [pills],
  );
  const linked = useMemo(
    () => new Set(tokens && linksOf(tokens).map((href) => byLink.get(sameAddress(href)))),
    [tokens, byLink],
  );
  const shown = (pill: Pill) => addresses(pill).some((address) => linked.has(byLink.get(address)));
  const link = (href: string, children: ComponentChildren) => {
    const pill = byLink.get(sameAddress(href));
    return (
      pill && (
        <Chip answer={answer} pill={pill}>
          {children}
        </Chip>
      )
    );
  };
  return (
    <>
      {tokens ? <TokenView tokens={tokens} link={link} /> : <Paragraphs text={markdown ?? text ?? ""} />}
      <ChipRow answer={answer} pills={pills.filter((pill) => pill.citationPillId && !shown(pill))} />
    </>
  );
}

const addresses = ({ url, redirectLink }: Pill) => [url, redirectLink].filter((link) => link != null).map(sameAddress);

/** Normalizes a URL, because Markdown may spell it differently. */
function sameAddress(href: string): string {
  return URL.canParse(href) ? new URL(href).href : href;
}
