// The difference between two answers: words, sources and order of brands, next to the usual difference of answers.
import { useEffect, useRef, useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { call } from "../../api";
import type { AnswerDiff, FoundPage, TrackedAnswer } from "earshot";
import { External } from "../../external";
import { timeText, When } from "../../time";
import { CardTable } from "../../table";
import { counted, Loading, number, Select, useLoad } from "../../ui";
import { addressOf, setQuery } from "../address";
import { apiPath, BrandMark, Caution, lookOf, Value, type PanelBrand } from "../pieces";
import { SourceType } from "../sources/source";

type AgainstProps = { tracker: string; answer: TrackedAnswer; other: string; panel: PanelBrand[] };

export function Against({ tracker, answer, other, panel }: AgainstProps) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <section class="card" data-testid="answer-diff">
      <div class="title-line">
        <div>
          <h2 ref={head}>Compare answers</h2>
          <p class="faint">Text only in the other answer is struck through. Text only in this answer is underlined.</p>
        </div>
        <Pick tracker={tracker} answer={answer} other={other} />
      </div>
      <Comparison tracker={tracker} a={other} b={answer.id} panel={panel} />
      <AsCall path={apiPath(tracker, "/diff")} query={{ a: other, b: answer.id }} />
    </section>
  );
}

type ComparisonProps = { tracker: string; a: string; b: string; panel: PanelBrand[] };

/** The difference between the answers a and b. */
export function Comparison({ tracker, a, b, panel }: ComparisonProps) {
  const loaded = useLoad(
    (signal) => call("GET /v1/trackers/{name}/diff", { params: { name: tracker }, query: { a, b }, signal }),
    [a, b],
  );
  return (
    <>
      <Loading of={loaded} lines={5} />
      {loaded.value && <Difference diff={loaded.value} panel={panel} tracker={tracker} />}
    </>
  );
}

type PickProps = { tracker: string; answer: TrackedAnswer; other: string };

/** Chooses the other answer: one to the same prompt on the same target, or any answer by its ID. */
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
      <Select
        aria-label="Compare with"
        value={known ? other : ""}
        all={known ? undefined : "Another answer"}
        options={cell.map((one) => [one.id, `${timeText(one.askedAt)}, sample ${one.sample}`])}
        onChoose={(diff) => diff && setQuery({ diff })}
      />
      <input
        aria-label="Answer ID"
        placeholder="or an answer ID"
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
        <Caution title="Different prompts or targets.">Normal variation does not apply to this comparison.</Caution>
      )}
      <Noise diff={diff} />
      {diff.cut && <p class="faint">Long answers: only their beginnings were compared.</p>}
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

/** How different the two answers are, next to the average of consecutive answers. */
function Noise({ diff: { distance, noise } }: { diff: AnswerDiff }) {
  const rows = [
    { name: "Cited domains", now: distance.domains, usual: noise.domains, pairs: noise.domainPairs },
    { name: "Named brands", now: distance.brands, usual: noise.brands, pairs: noise.brandPairs },
  ];
  return (
    <div class="diff-noise" data-testid="noise">
      <CardTable
        plain
        label="Difference"
        rows={rows}
        rowKey={({ name }) => name}
        cells={{
          Difference: ({ name }) => name,
          "#These two": ({ now }) => <Value of={now} />,
          "#Average": ({ usual, pairs }) => (
            <>
              <Value of={usual} /> <span class="faint">({counted(pairs, "pair")})</span>
            </>
          ),
        }}
      />
      <p class="faint">
        0 % means the same set, 100 % nothing in common. The average is the difference between consecutive answers to
        this prompt on this target, over the newest {number(noise.answers)} answers.
      </p>
    </div>
  );
}

function Brands({ diff: { a, b }, panel, tracker }: { diff: AnswerDiff; panel: PanelBrand[]; tracker: string }) {
  const mark = (name: string | undefined) =>
    name && (
      <>
        <BrandMark look={lookOf(panel, name)} /> <bdi>{name}</bdi>
      </>
    );
  const removed = a.brands.filter((name) => !b.brands.includes(name));
  const added = b.brands.filter((name) => !a.brands.includes(name));
  const places = Math.max(a.brands.length, b.brands.length);
  return (
    <>
      <h3>Order of brands</h3>
      {!places && <p class="faint">Neither answer names a tracked brand.</p>}
      {places > 0 && (
        <table aria-label="Order of brands in both answers">
          <thead>
            <tr>
              <th scope="col" class="number">
                Position
              </th>
              <th scope="col">
                <a href={addressOf(tracker, "answers", {}, a.answer.id)}>
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
      {(removed.length > 0 || added.length > 0) && (
        <p class="faint">
          {[
            removed.length && `No longer named: ${removed.join(", ")}`,
            added.length && `Newly named: ${added.join(", ")}`,
          ]
            .filter(Boolean)
            .join(". ")}
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
      {!gained.length && !lost.length && !kept.length && <p class="faint">Neither answer cites a source.</p>}
      <ul class="plain-list">
        {gained.map((page) => line("+", "added", "good", page))}
        {lost.map((page) => line("−", "removed", "bad", page))}
      </ul>
      {kept.length > 0 && (
        <details>
          <summary class="faint">= {kept.length} in both</summary>
          <ul class="plain-list">{kept.map((page) => line("=", "kept", "faint", page))}</ul>
        </details>
      )}
    </>
  );
}
