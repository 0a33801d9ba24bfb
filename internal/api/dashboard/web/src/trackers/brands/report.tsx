// What a try of names found, before they take effect.
import type { NameContext, NameTried } from "../../api.gen";
import { Heads, number } from "../../ui";
import { addressOf } from "../address";
import { indexOfByte } from "../answers/text";
import { BrandMark, Caution, Value, type PanelBrand } from "../pieces";
import { dayWords } from "../words";

let last: Promise<unknown> = Promise.resolve();

/** Kept answers are searched for one request of an account at a time, so those of this page take turns. */
export function inTurn<T>(search: () => Promise<T>): Promise<T> {
  const next = last.then(search);
  last = next.catch(() => undefined);
  return next;
}

/** Which answers were looked at, in words. */
export const sample = ({ answers, more, from, to }: Pick<NameTried, "answers" | "more" | "from" | "to">) =>
  `the newest ${number(answers)} kept answers` +
  (from && to ? ` of ${dayWords(from)} to ${dayWords(to)}` : "") +
  (more ? "; older ones were not looked at" : ", which are all");

export function Report({ tracker, panel, of }: { tracker: string; panel: PanelBrand[]; of: NameTried }) {
  const look = (brand: string) => panel.find(({ name }) => name === brand)?.look ?? 6;
  return (
    <div data-testid="trial">
      <p class="faint">
        In {sample(of)}, against rules {of.rules}. Nothing is changed, and it costs no credits.
      </p>
      <dl class="tasks-counts">
        <div>
          <dt>Hits</dt>
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
        <Caution key={i} title="Collision.">
          {one.equal ? (
            <>
              “{one.name}” of {one.brand} is also a name of {one.withinBrand}: the brand that stands first in the panel
              gets it.
            </>
          ) : (
            <>
              “{one.name}” of {one.brand} stands inside “{one.within}” of {one.withinBrand}: where the longer one
              stands, the shorter does not count.
            </>
          )}
        </Caution>
      ))}
      <h3>What it changes</h3>
      <table class="row-cards" aria-label="What it changes">
        <Heads names={["Brand", "#Answers before", "#Answers after", "#Share before", "#Share after"]} />
        <tbody>
          {of.changes.map((change) => (
            <tr key={change.brand}>
              <th scope="row">
                <BrandMark look={look(change.brand)} /> {change.brand}
              </th>
              <td data-label="Answers before" class="number">
                {number(change.namedBefore)}
              </td>
              <td data-label="Answers after" class="number">
                <strong>{number(change.namedAfter)}</strong>
              </td>
              <td data-label="Share before" class="number">
                <Value of={change.before} />
              </td>
              <td data-label="Share after" class="number">
                <strong>
                  <Value of={change.after} />
                </strong>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3>Where it stands</h3>
      {!of.contexts.length && <p class="faint">In none of these answers.</p>}
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
        <span class={kind === "absent" ? "faint" : "good"} aria-label={kind === "absent" ? "does not count" : "counts"}>
          {kind === "absent" ? "✕" : "✓"}
        </span>{" "}
        {sentence.slice(0, at(start))}
        <mark class={kind === "absent" ? "m absent" : "m"}>
          <BrandMark look={look} />
          {sentence.slice(at(start), at(end))}
        </mark>
        {sentence.slice(at(end))}
        {kind !== "name" && <span class="badge">{kind === "absent" ? "said to be absent" : "domain"}</span>}
      </span>
      <a class="faint" href={addressOf(tracker, "answers", {}, answer)}>
        {target}
      </a>
    </li>
  );
}
