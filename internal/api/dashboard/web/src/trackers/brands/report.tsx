// The result of testing a name on existing answers.
import type { NameContext, NameTried } from "earshot";
import { targetLabel } from "../../names";
import { dateText } from "../../time";
import { CardTable } from "../../table";
import { number } from "../../ui";
import { addressOf } from "../address";
import { indexOfByte } from "../answers/text";
import { BrandMark, Caution, lookOf, StrongValue, Value, type PanelBrand } from "../pieces";

let last: Promise<unknown> = Promise.resolve();

/** Runs searches one after another: the server searches answers for one request of an account at a time. */
export function inTurn<T>(search: () => Promise<T>): Promise<T> {
  const next = last.then(search);
  last = next.catch(() => undefined);
  return next;
}

/** Describes the answers that were searched. */
export const sample = ({ answers, more, from, to }: Pick<NameTried, "answers" | "more" | "from" | "to">) =>
  `${more ? "the newest" : "all"} ${number(answers)} answers` +
  (from && to ? ` (${dateText(from.slice(0, 10))} – ${dateText(to.slice(0, 10))})` : "");

export function Report({ tracker, panel, of }: { tracker: string; panel: PanelBrand[]; of: NameTried }) {
  const look = (brand: string) => lookOf(panel, brand);
  return (
    <div data-testid="trial">
      <p class="faint">Searched {sample(of)}. This is a free preview; nothing has changed yet.</p>
      <dl class="tasks-counts">
        <div>
          <dt>Mentions</dt>
          <dd data-testid="trial-hits">{number(of.hits)}</dd>
        </div>
        <div>
          <dt>Answers</dt>
          <dd data-testid="trial-named">
            {number(of.named)}{" "}
            <small class="faint">
              <Value of={of.share} />
            </small>
          </dd>
        </div>
      </dl>
      {of.collisions.map((one, i) => (
        <Caution key={i} title="Conflict.">
          {one.equal
            ? `“${one.name}” of ${one.brand} is also a name of ${one.withinBrand}. The first brand in the list gets it.`
            : `“${one.name}” of ${one.brand} is part of “${one.within}” of ${one.withinBrand}, which wins.`}
        </Caution>
      ))}
      <h3>Effect</h3>
      <CardTable
        label="Effect"
        rows={of.changes}
        rowKey={({ brand }) => brand}
        cells={{
          Brand: ({ brand }) => (
            <>
              <BrandMark look={look(brand)} /> <bdi>{brand}</bdi>
            </>
          ),
          "#Answers before": ({ namedBefore }) => number(namedBefore),
          "#Answers after": ({ namedAfter }) => <strong>{number(namedAfter)}</strong>,
          "#Share before": ({ before }) => <Value of={before} />,
          "#Share after": ({ after }) => <StrongValue of={after} />,
        }}
      />
      <h3>Examples</h3>
      {!of.contexts.length && <p class="faint">No answers name it.</p>}
      <ul class="contexts">
        {of.contexts.map((context) => (
          <Context key={context.answer} tracker={tracker} of={context} look={look(of.brand)} />
        ))}
      </ul>
    </div>
  );
}

type ContextProps = { tracker: string; of: NameContext; look: number };

function Context({ tracker, of: { answer, target, kind, sentence, start, end }, look }: ContextProps) {
  const at = indexOfByte(sentence);
  return (
    <li>
      <span>
        <span class={kind === "absent" ? "faint" : "good"} aria-label={kind === "absent" ? "Not counted" : "Counted"}>
          {kind === "absent" ? "✕" : "✓"}
        </span>{" "}
        {sentence.slice(0, at(start))}
        <mark class={kind === "absent" ? "m absent" : "m"}>
          <BrandMark look={look} />
          {sentence.slice(at(start), at(end))}
        </mark>
        {sentence.slice(at(end))}
        {kind !== "name" && <span class="badge">{kind === "absent" ? "Negated" : "Website"}</span>}
      </span>
      <a class="faint" href={addressOf(tracker, "answers", {}, answer)}>
        {targetLabel(target)}
      </a>
    </li>
  );
}
