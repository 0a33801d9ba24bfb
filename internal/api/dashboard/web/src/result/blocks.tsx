// The other blocks of a search page, as short lists.
import type { Carousel, FeaturedSnippet, LayoutBlock, WebSearch } from "earshot";
import { External } from "../external";
import { Facts, Section } from "./pieces";

/** The blocks of the page from top to bottom, in one line. */
export function Layout({ blocks }: { blocks: LayoutBlock[] }) {
  if (!blocks.length) return null;
  return (
    <p class="faint" data-testid="layout">
      {blocks.map((block) => `${block.title ?? block.type}${block.count > 1 ? ` ×${block.count}` : ""}`).join(" · ")}
    </p>
  );
}

export function Snippet({ snippet }: { snippet: FeaturedSnippet }) {
  return (
    <section class="part" data-testid="featured-snippet">
      <h3>Featured snippet</h3>
      {snippet.items?.length ? (
        <ul>
          {snippet.items.map((item, i) => (
            <li key={i}>{item}</li>
          ))}
        </ul>
      ) : (
        <p>{snippet.text}</p>
      )}
      <External href={snippet.link}>{snippet.title}</External>
    </section>
  );
}

type Line = { title: string; link?: string; facts: (string | undefined)[] };

export function Blocks({ result }: { result: WebSearch }) {
  return (
    <>
      <Lines
        title="Top stories"
        id="stories"
        of={result.topStories?.map((s) => ({ title: s.title, link: s.link, facts: [s.source, s.date] }))}
      />
      <Lines
        title="Images"
        id="images"
        of={result.images?.map((i) => ({ title: i.title, link: i.link, facts: [i.source] }))}
      />
      <Lines
        title="Posts"
        id="posts"
        of={result.posts?.map((p) => ({
          title: p.title ?? p.text ?? p.link,
          link: p.link,
          facts: [p.platform, p.author, p.date],
        }))}
      />
      {result.carousels?.map((carousel, i) => (
        <Lines key={i} title={carousel.title || "Carousel"} id="carousel" of={itemsOf(carousel)} />
      ))}
      <Lines
        title="Recipes"
        id="recipes"
        of={result.recipes?.map((r) => ({
          title: r.title,
          link: r.link,
          facts: [r.source, r.rating?.toString(), r.duration],
        }))}
      />
      <Lines
        title="Events"
        id="events"
        of={result.events?.map((e) => ({ title: e.title, link: e.link, facts: [e.date, e.venue, e.source] }))}
      />
      <Lines
        title="Jobs"
        id="jobs"
        of={result.jobs?.map((j) => ({ title: j.title, link: j.link, facts: [j.company, j.location, j.source] }))}
      />
    </>
  );
}

const itemsOf = (carousel: Carousel): Line[] =>
  carousel.items.map((item) => ({ title: item.title, link: item.link, facts: [item.subtitle] }));

function Lines({ title, id, of = [] }: { title: string; id: string; of?: Line[] }) {
  return (
    <Section title={title} count={of.length} id={id}>
      <ul class="results">
        {of.map((line, i) => (
          <li key={i} data-testid={`${id}-item`}>
            <div class="title">{line.link ? <External href={line.link}>{line.title}</External> : line.title}</div>
            <Facts of={line.facts} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
