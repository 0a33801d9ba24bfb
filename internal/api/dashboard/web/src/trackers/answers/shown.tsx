// The texts of an answer with the mentions marked.
import type { FoundMention, FoundPage, FoundText, Outcome, TrackedAnswer } from "earshot";
import { BrandMark, brandColor, lookOf, type PanelBrand } from "../pieces";
import { SourceType } from "../sources/source";
import { reasonWords } from "../words";
import { linesOf, type Line, type Piece, type Support } from "./text";

type Findings = NonNullable<TrackedAnswer["found"]>;

/** The parts of a page in their order. An answer has one text, a search page has many. */
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

/** The texts; sentences that cite the source at the position chosen are shaded. */
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
      {!texts.length && <p class="faint">The answer has no text.</p>}
    </div>
  );
}

/** Returns the title above a text that begins a new part of the page. */
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

/** A mention in the color and shape of its brand, and the brand if the text names it differently. */
function Named({ mention: { brand, name, kind }, panel, lit, children }: NamedProps) {
  const look = lookOf(panel, brand);
  const other = name !== brand || kind !== "name";
  return (
    <mark
      class={`m${kind === "absent" ? " absent" : ""}${lit ? " lit" : ""}`}
      style={{ borderColor: brandColor(look) }}
      data-brand={brand}
      title={
        brand + (kind === "domain" ? ", named by its website" : kind === "absent" ? ": negated, not counted" : "")
      }>
      <BrandMark look={look} />
      {children}
      {other && <span class="tag">{kind === "absent" ? `${brand}: not counted` : brand}</span>}
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

const outcomes: Record<Outcome, { name: string; look: string }> = {
  answered: { name: "Answered", look: "is-good" },
  refused: { name: "Refused", look: "is-warn" },
  missing: { name: "Missing", look: "missing" },
  pending: { name: "Pending", look: "" },
};

export const outcomeName = (outcome: string) =>
  Object.hasOwn(outcomes, outcome) ? outcomes[outcome as Outcome].name : outcome;

/** The outcome of a prompt, with the reason if the answer is missing. */
export const OutcomeMark = ({ of: { outcome, reason } }: { of: { outcome: Outcome; reason?: string } }) => (
  <span class={`badge ${outcomes[outcome]?.look}`}>
    {outcomeName(outcome)}
    {reason && `: ${reasonWords(reason)}`}
  </span>
);
