// How an answer differs from another: its words, its sources, the order of brands, and how
// far answers to that question are apart anyway.
import { useEffect, useRef, useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { call } from "../../api";
import type { AnswerDiff, FoundPage, TrackedAnswer } from "../../api.gen";
import { External } from "../../external";
import { Heads, number, useLoad, When } from "../../ui";
import { addressOf, keptFilters, setQuery } from "../address";
import { BrandMark, Caution, Failed, Skeleton, Value, type PanelBrand } from "../pieces";
import { SourceType } from "./shown";

type AgainstProps = { tracker: string; answer: TrackedAnswer; other: string; panel: PanelBrand[] };

export function Against({ tracker, answer, other, panel }: AgainstProps) {
  const query = { a: other, b: answer.id };
  const { value, error, again } = useLoad(
    (signal) => call("GET /v1/trackers/{name}/diff", { params: { name: tracker }, query, signal }),
    [other, answer.id],
  );
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <section class="card" data-testid="answer-diff">
      <div class="title-line">
        <div>
          <h2 ref={head}>Against another answer</h2>
          <p class="faint">What only the other says is struck through, what only this one says is underlined.</p>
        </div>
        <Pick tracker={tracker} answer={answer} other={other} />
      </div>
      <Failed error={error} again={again} stale={!!value} />
      {!value && !error && <Skeleton lines={5} label="Comparing the answers" />}
      {value && <Difference diff={value} panel={panel} tracker={tracker} />}
      <AsCall path={`/v1/trackers/${encodeURIComponent(tracker)}/diff`} query={query} />
    </section>
  );
}

type PickProps = { tracker: string; answer: TrackedAnswer; other: string };

/** Which answer it is compared with: one of the cell, or any by its id. */
function Pick({ tracker, answer: { id, promptId, target }, other }: PickProps) {
  const { value } = useLoad(
    (signal) =>
      call("GET /v1/trackers/{name}/answers", {
        params: { name: tracker },
        query: { promptId, target, outcome: "answered", limit: 100 },
        signal,
      }),
    [promptId, target],
  );
  const [typed, setTyped] = useState("");
  const cell = (value?.answers ?? []).filter((one) => one.id !== id);
  const known = cell.some((one) => one.id === other);
  return (
    <form
      class="diff-pick"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim()) setQuery({ diff: typed.trim() });
      }}>
      <select
        aria-label="Compared with"
        value={known ? other : ""}
        onChange={(event) => {
          if (event.currentTarget.value) setQuery({ diff: event.currentTarget.value });
        }}>
        {!known && <option value="">Another answer</option>}
        {cell.map((one) => (
          <option key={one.id} value={one.id}>
            {new Date(one.askedAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}, sample{" "}
            {one.sample}
          </option>
        ))}
      </select>
      <input
        aria-label="Id of any other answer"
        placeholder="or the id of any other"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button class="small">Compare</button>
      <button
        type="button"
        class="small"
        onClick={() => {
          setQuery({ diff: undefined });
          document.querySelector<HTMLElement>("[data-testid=diff]")?.focus();
        }}>
        Close
      </button>
    </form>
  );
}

function Difference({ diff, panel, tracker }: { diff: AnswerDiff; panel: PanelBrand[]; tracker: string }) {
  return (
    <>
      {!diff.sameCell && (
        <Caution title="Not the same question.">
          The two answer different questions, or on different targets; noise explains nothing here.
        </Caution>
      )}
      <Noise diff={diff} />
      {diff.cut && <p class="faint">The answers are long: only their beginnings were compared.</p>}
      <div class="answer-columns">
        <div class="diff-words" data-testid="diff-words">
          {diff.words.map(({ kind, text }, i) =>
            kind === "added" ? (
              <ins key={i}>{text}</ins>
            ) : kind === "removed" ? (
              <del key={i}>{text}</del>
            ) : (
              <span key={i}>{text}</span>
            ),
          )}
        </div>
        <div class="answer-side">
          <Brands diff={diff} panel={panel} tracker={tracker} />
          <Pages diff={diff} />
        </div>
      </div>
    </>
  );
}

/** The distance of the two beside that of neighbours in the cell. */
function Noise({ diff: { distance, noise } }: { diff: AnswerDiff }) {
  const rows: [string, number | null, number | null, number][] = [
    ["Domains they cite", distance.domains, noise.domains, noise.domainPairs],
    ["Brands they name", distance.brands, noise.brands, noise.brandPairs],
  ];
  return (
    <div class="diff-noise" data-testid="noise">
      <table aria-label="How far apart">
        <Heads names={["How far apart", "#These two", "#Neighbours in this cell", "#Pairs"]} />
        <tbody>
          {rows.map(([name, now, usual, pairs]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">
                <Value of={now} />
              </td>
              <td class="number faint">
                <Value of={usual} />
              </td>
              <td class="number faint">{number(pairs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint">
        0 % is the same set, 100 % nothing in common. Answers of one sweep and the next differ anyway, by as much as the
        neighbours do on average over the newest {number(noise.answers)} answers; a difference of that size is no news.
      </p>
    </div>
  );
}

function Brands({ diff: { a, b }, panel, tracker }: { diff: AnswerDiff; panel: PanelBrand[]; tracker: string }) {
  const mark = (name: string | undefined) =>
    name && (
      <>
        <BrandMark look={panel.find((one) => one.name === name)?.look ?? 6} /> {name}
      </>
    );
  const gone = a.brands.filter((name) => !b.brands.includes(name));
  const fresh = b.brands.filter((name) => !a.brands.includes(name));
  const places = Math.max(a.brands.length, b.brands.length);
  return (
    <>
      <h3>Order of naming</h3>
      {!places && <p class="faint">Neither names a brand of the panel.</p>}
      {places > 0 && (
        <table aria-label="Order of naming in both">
          <thead>
            <tr>
              <th scope="col" class="number">
                Place
              </th>
              <th scope="col">
                <a href={addressOf(tracker, "answers", keptFilters(), a.answer.id)}>
                  <When at={a.answer.askedAt} />
                </a>
              </th>
              <th scope="col">
                <When at={b.answer.askedAt} />
              </th>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: places }, (_, i) => (
              <tr key={i}>
                <th scope="row" class="number">
                  {i + 1}
                </th>
                <td>{mark(a.brands[i])}</td>
                <td>{mark(b.brands[i])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {(gone.length > 0 || fresh.length > 0) && (
        <p class="faint">
          {[gone.length && `${gone.join(", ")} gone`, fresh.length && `${fresh.join(", ")} new`]
            .filter(Boolean)
            .join("; ")}
          .
        </p>
      )}
    </>
  );
}

function Pages({ diff: { gained, lost, kept } }: { diff: AnswerDiff }) {
  const line = (sign: string, word: string, look: string, page: FoundPage) => (
    <li key={sign + page.url}>
      <strong class={look} aria-label={word}>
        {sign}
      </strong>{" "}
      <External href={page.url}>{page.domain}</External> <SourceType of={page} />
      <div class="faint source-url">{page.url}</div>
    </li>
  );
  return (
    <>
      <h3>Sources</h3>
      {!gained.length && !lost.length && !kept.length && <p class="faint">Neither cites any.</p>}
      <ul class="plain-list">
        {gained.map((page) => line("+", "gained", "good", page))}
        {lost.map((page) => line("−", "lost", "bad", page))}
      </ul>
      {kept.length > 0 && (
        <details>
          <summary class="faint">= {kept.length} stay</summary>
          <ul class="plain-list">{kept.map((page) => line("=", "kept", "faint", page))}</ul>
        </details>
      )}
    </>
  );
}
