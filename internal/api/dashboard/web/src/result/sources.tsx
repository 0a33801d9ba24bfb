// The sources of an answer, and the citations in the text that link to them.
import type { ComponentChildren } from "preact";
import type { CitationPill, Source } from "earshot";
import { External } from "../external";
import { Facts } from "./pieces";

/** The source of a citation. */
export type Pill = Source & Partial<Pick<CitationPill, "citationPillId">>;

const cardId = (answer: string, position: number) => `${answer}-source-${position}`;

/** Scrolls to the card of a source and focuses it. */
function jump(answer: string, position: number) {
  const card = document.getElementById(cardId(answer, position));
  card?.scrollIntoView({
    block: "center",
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
  card?.focus({ preventScroll: true });
}

export function Chip({ answer, pill, children }: { answer: string; pill: Pill; children?: ComponentChildren }) {
  return (
    <button
      type="button"
      class="chip"
      data-testid="citation"
      title={pill.description || pill.domain}
      onClick={() => jump(answer, pill.position)}>
      {children ?? pill.label} <sup>{pill.position}</sup>
    </button>
  );
}

/** Citations that are not in the text, grouped. */
export function ChipRow({ answer, pills }: { answer: string; pills: Pill[] }) {
  if (!pills.length) return null;
  const groups = new Map<string | undefined, Pill[]>();
  for (const pill of pills) groups.set(pill.citationPillId, [...(groups.get(pill.citationPillId) ?? []), pill]);
  return (
    <div class="chips" data-testid="citations" aria-label="Citations">
      {[...groups].map(([id, group]) => (
        <span key={id} class="chip-group">
          {group.map((pill, i) => (
            <Chip key={i} answer={answer} pill={pill} />
          ))}
        </span>
      ))}
    </div>
  );
}

export function SourceCards({ answer, sources }: { answer: string; sources: Source[] }) {
  return (
    <ol class="cards">
      {sources.map((source) => (
        <li
          key={source.position}
          id={cardId(answer, source.position)}
          class="item"
          tabIndex={-1}
          data-testid="source-card">
          <Facts of={[<span class="position">{source.position}</span>, source.domain, source.datePublished]} />
          <div class="title">
            <External href={source.url}>{source.label || source.url}</External>
          </div>
          {source.post && <Facts of={[source.post.author, source.post.platform]} />}
          {source.post?.text && <p class="quote">{source.post.text}</p>}
          {source.description && <p>{source.description}</p>}
        </li>
      ))}
    </ol>
  );
}
