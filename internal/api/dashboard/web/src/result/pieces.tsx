// Components that results share.
import type { ComponentChildren } from "preact";
import { number } from "../ui";

type SectionProps = { title: string; count: number | undefined; children: ComponentChildren; id?: string };

/** A section of a result; nothing if its list is empty. */
export function Section({ title, count, children, id }: SectionProps) {
  if (!count) return null;
  return (
    <section class="part" data-testid={id}>
      <h3>
        {title} <span class="faint">{count}</span>
      </h3>
      {children}
    </section>
  );
}

/** Facts in one line, without the missing ones. */
export function Facts({ of }: { of: ComponentChildren[] }) {
  const known = of.filter((fact) => fact != null && fact !== "" && fact !== false);
  if (!known.length) return null;
  return (
    <div class="facts faint">
      {known.map((fact, i) => (
        <span key={i}>{fact}</span>
      ))}
    </div>
  );
}

/** The rating, and the number of reviews. */
export function Rating({ of }: { of: { rating?: number; reviews?: number } }) {
  if (of.rating == null) return null;
  return (
    <span class="rating">
      <span aria-label="Rating">★ {of.rating.toLocaleString()}</span>
      {of.reviews != null && ` (${number(of.reviews)})`}
    </span>
  );
}

/** A price as displayed, with the old price. */
export function Price({ now, before }: { now?: { raw: string }; before?: { raw: string } }) {
  if (!now) return null;
  return (
    <span class="price">
      <strong>{now.raw}</strong>
      {before && (
        <>
          {" "}
          <del class="faint">{before.raw}</del>
        </>
      )}
    </span>
  );
}

export function Badges({ of }: { of: string[] | undefined }) {
  if (!of?.length) return null;
  return (
    <span class="badges">
      {of.map((text, i) => (
        <span key={i} class="badge">
          {text}
        </span>
      ))}
    </span>
  );
}

/** Suggested queries; buttons if onAsk is given. */
export function Queries({ of, onAsk }: { of: string[]; onAsk?: (query: string) => void }) {
  return (
    <div class="queries">
      {of.map((query, i) =>
        onAsk ? (
          <button key={i} type="button" class="small" onClick={() => onAsk(query)}>
            {query}
          </button>
        ) : (
          <span key={i} class="badge">
            {query}
          </span>
        ),
      )}
    </div>
  );
}
