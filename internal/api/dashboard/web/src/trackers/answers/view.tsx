// One answer: its words with the brands marked, its sources, what is known of it, and the
// other answers to the same question.
import { useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { ApiError, call } from "../../api";
import type { CellAnswer, Provider, TrackedAnswer } from "../../api.gen";
import { ResultView } from "../../result/output";
import { addressOf as pageAddress, route } from "../../state";
import { External } from "../../external";
import { Button, Copy, counted, Empty, Heads, number, Tabs, useLoad, When } from "../../ui";
import { addressOf, keptFilters, setQuery } from "../address";
import { targetName } from "../filters";
import { BrandName, Failed, MadeUp, Skeleton, type PanelBrand } from "../pieces";
import type { TabProps } from "../pieces";
import { Against } from "./diff";
import { Keys, useKeys } from "./keys";
import { OutcomeMark, Shown, SourceType } from "./shown";

export function AnswerPage({ tracker, panel, id }: TabProps & { id: string }) {
  const { value, error, again } = useLoad(
    (signal) => call("GET /v1/trackers/{name}/answers/{id}", { params: { name: tracker.name, id }, signal }),
    [tracker.name, id],
  );
  if (error instanceof ApiError && error.status === 404)
    return (
      <Empty title="There is no such answer">
        <p>
          It may be older than the tracker keeps answers.{" "}
          <a href={addressOf(tracker.name, "answers", keptFilters())}>All answers</a>
        </p>
      </Empty>
    );
  if (!value)
    return error ? <Failed error={error} again={again} /> : <Skeleton lines={10} label="Loading the answer" />;
  return (
    <>
      <MadeUp when={value.madeUp} />
      <Failed error={error} again={again} stale />
      <Viewer tracker={tracker} panel={panel} answer={value} id={id} />
    </>
  );
}

const to = (tracker: string, id: string | undefined) => id && addressOf(tracker, "answers", keptFilters(), id);

/** The answer of the same sample where there is one. */
const sameSample = (answers: CellAnswer[], sample: number) =>
  (answers.find((one) => one.sample === sample) ?? answers[0])?.id;

/** The same question in the same sweep on the targets before and after, in the order of the definition. */
function useNeighbours({ name, definition }: TabProps["tracker"], answer: TrackedAnswer) {
  const { sweep, promptId, target, sample } = answer;
  const { value } = useLoad(
    (signal) =>
      call("GET /v1/trackers/{name}/answers", { params: { name }, query: { sweep, promptId, limit: 200 }, signal }),
    [sweep, promptId],
  );
  const found = value?.answers ?? [];
  const order = (definition?.targets ?? []).map(targetName);
  const targets = [...new Set(found.map((one) => one.target))].sort(
    (a, b) => order.indexOf(a) - order.indexOf(b) || a.localeCompare(b),
  );
  const beside = (step: number) => {
    const wanted = targets[targets.indexOf(target) + step];
    const there = found.filter((one) => one.target === wanted);
    return (there.find((one) => one.sample === sample) ?? there[0])?.id;
  };
  return { left: beside(-1), right: beside(1) };
}

type ViewerProps = { tracker: TabProps["tracker"]; panel: PanelBrand[]; answer: TrackedAnswer; id: string };

/** Shows an answer, which is the one before as long as that with the id is being loaded. */
function Viewer({ tracker, panel, answer, id }: ViewerProps) {
  const [chosen, setChosen] = useState<number>();
  const [help, setHelp] = useState(false);
  const { left, right } = useNeighbours(tracker, answer);
  const older = sameSample(answer.cell?.previous ?? [], answer.sample);
  const newer = sameSample(answer.cell?.next ?? [], answer.sample);
  const ways = {
    older: to(tracker.name, older),
    newer: to(tracker.name, newer),
    left: to(tracker.name, left),
    right: to(tracker.name, right),
  };
  const { diff } = route.value.query;
  const against = answer.id === id ? diff || older || newer : undefined;
  const toggleDiff = () => {
    if (against) setQuery({ diff: diff ? undefined : against });
  };
  useKeys({ ...(answer.id === id && ways), toggleDiff, help: () => setHelp(true) });
  const choose = (position: number) => setChosen((before) => (before === position ? undefined : position));
  return (
    <>
      <div class="answer-head">
        <div>
          <h2>{answer.prompt}</h2>
          <p class="faint" aria-live="polite">
            {answer.target} · asked <When at={answer.askedAt} /> · sample {answer.sample} · <OutcomeMark of={answer} />
          </p>
        </div>
        <nav class="answer-ways" aria-label="Other answers to this question">
          <Way to={ways.newer} letter="K">
            ↑ Newer
          </Way>
          <Way to={ways.older} letter="J">
            ↓ Older
          </Way>
          <Way to={ways.left} letter="H">
            ← Target
          </Way>
          <Way to={ways.right} letter="L">
            Target →
          </Way>
          <button
            type="button"
            class="small"
            onClick={toggleDiff}
            disabled={!against}
            aria-pressed={!!diff}
            data-testid="diff">
            Diff <kbd>D</kbd>
          </button>
          <Button text="?" class="small" onClick={() => setHelp(true)} aria-label="Keys of this page" />
        </nav>
      </div>
      <div class="answer-columns">
        <div class="answer-main">
          <section class="card">
            <Body answer={answer} panel={panel} chosen={chosen} choose={choose} />
          </section>
          {answer.found && <Sources answer={answer} chosen={chosen} choose={choose} />}
        </div>
        <div class="answer-side">
          {answer.found && <Order found={answer.found} panel={panel} />}
          <About tracker={tracker.name} answer={answer} />
          <CellAnswers tracker={tracker.name} answer={answer} />
        </div>
      </div>
      {diff && <Against key={diff} tracker={tracker.name} answer={answer} other={diff} panel={panel} />}
      <AsCall path={`/v1/trackers/${encodeURIComponent(tracker.name)}/answers/${answer.id}`} />
      <Keys open={help} onClose={() => setHelp(false)} />
    </>
  );
}

function Way({ to, letter, children }: { to?: string; letter: string; children: preact.ComponentChildren }) {
  return to ? (
    <a class="button small" href={to}>
      {children} <kbd>{letter}</kbd>
    </a>
  ) : (
    <span class="button small off" aria-disabled="true">
      {children}
    </span>
  );
}

type BodyProps = { answer: TrackedAnswer; panel: PanelBrand[]; chosen?: number; choose: (position: number) => void };

function Body({ answer, panel, chosen, choose }: BodyProps) {
  const { result, found, reason } = answer;
  if (!result || !found)
    return (
      <Empty title="There is no answer here">
        {reason ? `It is missing: ${reason}. Missing answers count in no rate.` : "It is still being asked."}
      </Empty>
    );
  const provider = answer.target.split("/")[0] as Provider;
  const named = new Set(found.mentions.filter(({ position }) => position > 0).map(({ brand }) => brand)).size;
  const counted = found.mentions.filter(({ kind }) => kind !== "absent");
  return (
    <Tabs
      label="The answer as"
      tabs={[
        {
          name: "Names",
          content: () => (
            <>
              <p class="faint legend-line">
                <mark class="m">name</mark> counted <mark class="m absent">name</mark> absent, not counted{" "}
                <span class="cite" aria-hidden="true">
                  2
                </span>{" "}
                source of the sentence <span class="unbacked">no source</span>
              </p>
              <Shown found={found} panel={panel} chosen={chosen} choose={choose} />
              <p class="basis">
                <span>
                  <strong>{number(named)}</strong> brands of the panel
                </span>
                <span>
                  <strong>{number(counted.length)}</strong> mentions,{" "}
                  <strong>{number(counted.filter(({ citations }) => citations.length).length)}</strong> with a source
                </span>
                <span>
                  <strong>{number(found.citations.length)}</strong> sources
                </span>
                <span>found by matching text under rules {found.rules}, never guessed by a model</span>
              </p>
            </>
          ),
        },
        { name: "As it came", content: () => <ResultView result={result} provider={provider} /> },
        {
          name: "JSON",
          content: () => (
            <>
              <div class="tools">
                <Copy text={JSON.stringify(answer, null, 2)} />
              </div>
              <pre class="tall" tabIndex={0} data-testid="json">
                {JSON.stringify(answer, null, 2)}
              </pre>
            </>
          ),
        },
      ]}
    />
  );
}

type SourcesProps = { answer: TrackedAnswer; chosen?: number; choose: (position: number) => void };

function Sources({ answer: { found }, chosen, choose }: SourcesProps) {
  const { citations, mentions } = found!;
  if (!citations.length)
    return (
      <section class="card">
        <h2>Sources</h2>
        <p class="faint">The answer cites none.</p>
      </section>
    );
  const backs = (position: number) => [
    ...new Set(mentions.filter((one) => one.citations.includes(position)).map(({ brand }) => brand)),
  ];
  return (
    <section class="card" data-testid="answer-sources">
      <div class="title-line">
        <h2>
          Sources <span class="faint">{citations.length}</span>
        </h2>
        <span class="faint">Choose one to shade the sentences that it backs</span>
      </div>
      <ol class="source-list">
        {citations.map((page) => (
          <li key={page.position} class={chosen === page.position ? "chosen" : undefined}>
            <Button
              text={page.position}
              class="cite"
              aria-pressed={chosen === page.position}
              aria-label={`Shade what source ${page.position} backs`}
              onClick={() => choose(page.position)}
            />
            <div>
              <span class="faint">{page.domain}</span> <SourceType of={page} />
              <div class="source-url">
                <External href={page.url}>{page.url}</External>
              </div>
              <span class="faint">
                {backs(page.position).length
                  ? `backs ${backs(page.position).join(", ")}`
                  : "backs no sentence that names a brand"}
              </span>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Order({ found, panel }: { found: NonNullable<TrackedAnswer["found"]>; panel: PanelBrand[] }) {
  const rows = panel
    .map((brand) => {
      const all = found.mentions.filter((one) => one.brand === brand.name);
      const counted = all.filter(({ kind }) => kind !== "absent");
      return {
        brand,
        all,
        counted,
        place: counted.find(({ position }) => position > 0)?.position,
        rank: counted.find(({ listRank }) => listRank)?.listRank,
        sourced: counted.filter(({ citations }) => citations.length).length,
      };
    })
    .sort((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity));
  return (
    <section class="card">
      <h2>Order of naming</h2>
      <table aria-label="Order of naming" data-testid="order">
        <Heads names={["Brand", "#Place", "#In list", "#Times", "#Sourced"]} />
        <tbody>
          {rows.map(({ brand, all, counted, place, rank, sourced }) => (
            <tr key={brand.name}>
              <th scope="row">
                <BrandName brand={brand} />
              </th>
              {counted.length ? (
                <>
                  <td class="number">{place ?? "–"}</td>
                  <td class="number">{rank ?? "–"}</td>
                  <td class="number">{counted.length}</td>
                  <td class="number">
                    {sourced} of {counted.length}
                  </td>
                </>
              ) : (
                <td class="faint number" colSpan={4}>
                  {all.length ? "said to be absent" : "not named"}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function About({ tracker, answer }: { tracker: string; answer: TrackedAnswer }) {
  const facts: [string, preact.ComponentChildren][] = [
    [
      "Question",
      <a href={addressOf(tracker, "prompts", { ...keptFilters(), prompt: String(answer.promptId) })}>
        {answer.prompt}
      </a>,
    ],
    ["Target", answer.target],
    ["Sweep", <a href={addressOf(tracker, "answers", { sweep: answer.sweep })}>its answers</a>],
    ["Asked at", <When at={answer.askedAt} />],
    ["Finished at", <When at={answer.finishedAt} />],
    ["Sample", answer.sample],
    ["Model", answer.model || "not told"],
    ["Surface", answer.surface ? <span class="badge">{answer.surface}</span> : "–"],
    ["Rules", answer.found?.rules ?? "–"],
    ["Attempts", answer.attempts],
    ["Cost", counted(answer.creditsCharged, "credit")],
    [
      "Request",
      <>
        <a href={pageAddress(["history", answer.id])}>
          <code>{answer.id}</code>
        </a>{" "}
        <Copy text={answer.id} />
      </>,
    ],
  ];
  return (
    <section class="card">
      <h2>About this answer</h2>
      <dl class="answer-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function CellAnswers({ tracker, answer: { cell, promptId, target } }: { tracker: string; answer: TrackedAnswer }) {
  const groups: [string, CellAnswer[]][] = [
    ["Other samples of this sweep", cell?.samples ?? []],
    ["The sweep after", cell?.next ?? []],
    ["The sweep before", cell?.previous ?? []],
  ];
  return (
    <section class="card" data-testid="cell-answers">
      <h2>The same question, the same target</h2>
      {groups
        .filter(([, answers]) => answers.length)
        .map(([title, answers]) => (
          <div key={title}>
            <h3>{title}</h3>
            <ul class="plain-list">
              {answers.map((one) => (
                <li key={one.id}>
                  <a href={addressOf(tracker, "answers", keptFilters(), one.id)}>
                    <When at={one.askedAt} />, sample {one.sample}
                  </a>{" "}
                  <OutcomeMark of={one} />{" "}
                  <Button text="Diff" class="small" onClick={() => setQuery({ diff: one.id })} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      <p>
        <a href={addressOf(tracker, "answers", { promptId: String(promptId), target })}>All answers of this cell</a>
      </p>
    </section>
  );
}
