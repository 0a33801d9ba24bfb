// The reviews of a tracker: sentences about own brands that a person should look at.
import { useState } from "preact/hooks";
import { call, retryRateLimited } from "../api";
import type { Review, ReviewExample, ReviewState } from "earshot";
import { AsCall } from "../ascall";
import { targetLabel } from "../names";
import { route } from "../state";
import { dateText, timeText } from "../time";
import { Button, counted, Loading, Problem, Select, useAction, useLoad } from "../ui";
import { addressOf, setQuery } from "./address";
import { indexOfByte } from "./answers/text";
import { apiPath, mayTrack, type TabProps } from "./pieces";
import { opinionWords, reviewKinds, reviewStates } from "./words";

const all = "all";

/** Returns the state that the address selects; undefined for all states. */
function stateOf(): ReviewState | undefined {
  const { state = "open" } = route.value.query;
  return state === all ? undefined : Object.hasOwn(reviewStates, state) ? (state as ReviewState) : "open";
}

export function Reviews({ tracker: { name } }: TabProps) {
  const state = stateOf();
  const query = { state, limit: 100 };
  return (
    <>
      <section class="card" aria-label="Reviews">
        <div class="title-line">
          <h2>Reviews</h2>
          <span class="filters">
            <Select
              id="filter-state"
              aria-label="State"
              value={state ?? all}
              options={[...Object.entries(reviewStates), [all, "All states"]]}
              onChoose={(value) => setQuery({ state: value === "open" ? "" : value })}
            />
          </span>
        </div>
        <p class="faint">
          Sentences about your brands that warn, deny something good, or differ from your facts. Mark whether the
          answers are right or wrong, or that somebody has dealt with it.
        </p>
        <List key={state ?? all} tracker={name} query={query} />
      </section>
      <AsCall path={apiPath(name, "/reviews")} query={query} />
    </>
  );
}

type ListProps = { tracker: string; query: { state?: ReviewState; limit: number } };

function List({ tracker, query }: ListProps) {
  const loaded = useLoad(
    (signal) =>
      retryRateLimited(
        () => call("GET /v1/trackers/{name}/reviews", { params: { name: tracker }, query, signal }),
        signal,
      ),
    [],
  );
  const { value } = loaded;
  return (
    <>
      <Loading of={loaded} lines={4} />
      {value?.reviews.length === 0 && <p class="faint">{query.state === "open" ? "No open reviews" : "No reviews"}</p>}
      {!!value?.reviews.length && (
        <ul class="alerts" data-testid="reviews">
          {value.reviews.map((review) => (
            <Item key={review.id} tracker={tracker} review={review} />
          ))}
        </ul>
      )}
      {value?.nextCursor && <p class="faint">Showing the 100 reviews that were seen last</p>}
    </>
  );
}

/** A review. After it was marked, it stays in the list with its new state, so that it can be marked again. */
function Item({ tracker, review: listed }: { tracker: string; review: Review }) {
  const [review, setReview] = useState(listed);
  const { brand, kind, fact, state, answers, examples, opinion } = review;
  const [newest] = examples;
  return (
    <li class={state === "open" ? "open" : undefined}>
      <p>
        <span class="badge">{reviewKinds[kind]}</span> <strong>{brand}</strong>{" "}
        <span class="badge" data-testid="review-state">
          {reviewStates[state]}
        </span>
      </p>
      {newest && <Sentence of={newest} />}
      {fact && (
        <p>
          {fact.name}: expected <strong>{fact.expected}</strong>, found <strong>{fact.found}</strong>
        </p>
      )}
      {opinion && (
        <p>
          Opinion of the model {opinion.model}: <strong>{opinionWords[opinion.opinion]}</strong>. {opinion.reason}
        </p>
      )}
      <p class="faint">
        {counted(answers, "answer")} · first seen {timeText(review.firstSeenAt)} · last seen{" "}
        {timeText(review.lastSeenAt)}
        {review.markedAt && ` · marked ${timeText(review.markedAt)}`}
        {review.note && ` · ${review.note}`}
      </p>
      <p class="faint">
        Examples:{" "}
        {examples.map(({ answer, target, askedAt }, i) => [
          i > 0 && " · ",
          <a key={answer} href={addressOf(tracker, "answers", {}, answer)}>
            {targetLabel(target)}, {dateText(askedAt)}
          </a>,
        ])}
      </p>
      {mayTrack() && <Marks tracker={tracker} review={review} done={setReview} />}
    </li>
  );
}

/** The sentence of an answer with the matched words marked. */
function Sentence({ of: { sentence, matches } }: { of: ReviewExample }) {
  const at = indexOfByte(sentence);
  let end = 0;
  const pieces = [...matches]
    .sort((a, b) => a.start - b.start)
    .flatMap((match) => {
      const from = Math.max(at(match.start), end);
      const before = sentence.slice(end, from);
      end = Math.max(at(match.end), from);
      const words = sentence.slice(from, end);
      return [
        before,
        words && (
          <mark key={match.start} class="m" title={match.reason}>
            {words}
          </mark>
        ),
      ];
    });
  return (
    <p>
      {pieces}
      {sentence.slice(end)}
    </p>
  );
}

type MarksProps = { tracker: string; review: Review; done: (review: Review) => void };

/** The buttons that set the state of a review, with a note. */
function Marks({ tracker, review, done }: MarksProps) {
  const [note, setNote] = useState(review.note ?? "");
  const { busy, error, run } = useAction(async (state: ReviewState) => {
    const params = { name: tracker, id: review.id };
    const body = { state, note: note.trim() || undefined };
    done((await call("PATCH /v1/trackers/{name}/reviews/{id}", { params, body })).review);
  });
  return (
    <div class="review-marks">
      <Problem error={error} />
      <input
        aria-label="Note"
        placeholder="Note (optional)"
        maxLength={2000}
        value={note}
        onInput={(event) => setNote(event.currentTarget.value)}
      />
      {Object.entries(reviewStates).map(([state, text]) => (
        <Button
          key={state}
          text={text}
          class="small"
          data-testid="mark-review"
          aria-pressed={review.state === state}
          disabled={busy}
          onClick={() => run(state as ReviewState)}
        />
      ))}
    </div>
  );
}
