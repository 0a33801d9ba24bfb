// The texts of an answer with the names that were found in them.
import type { FoundMention, FoundPage, FoundText, Outcome, TrackedAnswer } from "../../api.gen";
import { BrandMark, brandColor, type PanelBrand } from "../pieces";
import { linesOf, type Line, type Piece, type Support } from "./text";

type Findings = NonNullable<TrackedAnswer["found"]>;

/** An answer has one text; a search page has many, which are shown by the part that they stand in. */
const parts: Record<FoundText["where"], { title: string; rank: number }> = {
  markdown: { title: "", rank: 0 },
  text: { title: "", rank: 0 },
  overview: { title: "AI overview", rank: 1 },
  panel: { title: "Knowledge panel", rank: 2 },
  title: { title: "Result", rank: 3 },
  snippet: { title: "Result", rank: 3 },
};
const isResult = ({ where }: FoundText) => where === "title" || where === "snippet";

type ShownProps = { found: Findings; panel: PanelBrand[]; chosen?: number; choose: (position: number) => void };

/** The texts. chosen is the position of a source whose sentences are shaded. */
export function Shown({ found, panel, chosen, choose }: ShownProps) {
  const texts = found.texts
    .map((text, place) => ({ text, place }))
    .sort(
      (a, b) =>
        parts[a.text.where].rank - parts[b.text.where].rank ||
        (isResult(a.text) ? a.text.index - b.text.index : 0) ||
        a.place - b.place,
    );
  return (
    <div class="answer-text" data-testid="answer-text">
      {texts.map(({ text, place }, i) => (
        <div key={place} class={parts[text.where].title ? "found-text" : undefined}>
          {headOf(texts[i - 1]?.text, text) && (
            <p class="faint">
              {headOf(texts[i - 1]?.text, text)}
              {isResult(text) && <Organic of={found.organic?.[text.index]} />}
            </p>
          )}
          {linesOf(
            text.text,
            found.mentions.filter((mention) => mention.text === place),
            text.format === "markdown",
          ).map((line, j) => (
            <LineView key={j} line={line} panel={panel} chosen={chosen} choose={choose} sources={!isResult(text)} />
          ))}
        </div>
      ))}
      {!texts.length && <p class="faint">The answer has no text that names could stand in.</p>}
    </div>
  );
}

/** What stands above a text that begins another part of the page. */
function headOf(before: FoundText | undefined, text: FoundText): string {
  const { title } = parts[text.where];
  if (isResult(text))
    return before && isResult(before) && before.index === text.index ? "" : `${title} ${text.index + 1}`;
  return before?.where === text.where ? "" : title;
}

function Organic({ of }: { of?: FoundPage }) {
  return of ? (
    <>
      {" "}
      · {of.domain} <SourceType of={of} />
    </>
  ) : null;
}

export function SourceType({ of: { type, brand } }: { of: Pick<FoundPage, "type" | "brand"> }) {
  return (
    <>
      <span class={`badge type ${type}`}>{type}</span>
      {brand && <span class="faint"> of {brand}</span>}
    </>
  );
}

interface LineProps {
  line: Line;
  panel: PanelBrand[];
  chosen?: number;
  choose: (position: number) => void;
  sources: boolean;
}

function LineView({ line, panel, chosen, choose, sources }: LineProps) {
  const parts = line.parts.map((part, i) =>
    "support" in part ? (
      sources && <Backing key={i} of={part} chosen={chosen} choose={choose} />
    ) : (
      <PieceView key={i} of={part} panel={panel} lit={chosen !== undefined && part.cites.includes(chosen)} />
    ),
  );
  if (line.kind === "heading") return <h3>{parts}</h3>;
  if (line.kind === "item")
    return (
      <p class="item-line">
        <span class="item-label">{line.label}</span>
        <span>{parts}</span>
      </p>
    );
  return <p>{parts}</p>;
}

function PieceView({ of: { text, mention, strong }, panel, lit }: { of: Piece; panel: PanelBrand[]; lit: boolean }) {
  const shown = strong ? <strong>{text}</strong> : text;
  if (!mention) return lit ? <span class="lit">{shown}</span> : shown;
  return (
    <Named mention={mention} panel={panel} lit={lit}>
      {shown}
    </Named>
  );
}

type NamedProps = { mention: FoundMention; panel: PanelBrand[]; lit: boolean; children: preact.ComponentChildren };

/** A name: its brand's colour and shape, and the brand where the name is another. */
function Named({ mention: { brand, name, kind }, panel, lit, children }: NamedProps) {
  const look = panel.find((one) => one.name === brand)?.look ?? 6;
  const other = name !== brand || kind !== "name";
  return (
    <mark
      class={`m${kind === "absent" ? " absent" : ""}${lit ? " lit" : ""}`}
      style={{ borderColor: brandColor(look) }}
      data-brand={brand}
      title={
        brand +
        (kind === "domain" ? ", by its domain" : kind === "absent" ? ": said not to be there, so not counted" : "")
      }>
      <BrandMark look={look} />
      {children}
      {other && <span class="tag">{kind === "absent" ? `${brand}: absent, not counted` : brand}</span>}
      <span class="hidden-words"> ({brand})</span>
    </mark>
  );
}

type BackingProps = { of: Support; chosen?: number; choose: (position: number) => void };

function Backing({ of: { support }, chosen, choose }: BackingProps) {
  if (!support.length) return <span class="unbacked">no source</span>;
  return (
    <>
      {support.map((position) => (
        <button
          key={position}
          type="button"
          class="cite"
          aria-pressed={chosen === position}
          aria-label={`Source ${position}`}
          onClick={() => choose(position)}>
          {position}
        </button>
      ))}
    </>
  );
}

/** What became of a question, in a word; missing is neither good nor zero. */
export function OutcomeMark({ of: { outcome, reason } }: { of: { outcome: Outcome; reason?: string } }) {
  const look = { answered: "is-good", refused: "is-warn", missing: "missing", pending: "" }[outcome];
  return (
    <span class={`badge ${look}`}>
      {outcome}
      {reason && `: ${reason}`}
    </span>
  );
}
