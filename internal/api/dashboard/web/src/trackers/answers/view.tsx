// One answer: its text with the mentions, its sources, its details, and other answers to the same prompt.
import { useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { ApiError, call } from "../../api";
import type { CellAnswer, Provider, TrackedAnswer } from "earshot";
import { External } from "../../external";
import { targetLabel } from "../../names";
import { ResultView } from "../../result/output";
import { addressOf as pageAddress, route } from "../../state";
import { When } from "../../time";
import { CardTable } from "../../table";
import { Button, Copy, counted, Empty, Facts, JsonView, Loading, number, Tabs, useLoad } from "../../ui";
import { addressOf, setQuery } from "../address";
import { targetName } from "../filters";
import { apiPath, BrandName, SampleData, type PanelBrand, type TabProps } from "../pieces";
import { SourceType } from "../sources/source";
import { reasonWords } from "../words";
import { Against } from "./diff";
import { Keys, useKeys } from "./keys";
import { OutcomeMark, Shown } from "./shown";

export function AnswerPage({ tracker, panel, id }: TabProps & { id: string }) {
  const loaded = useLoad(
    (signal) => call("GET /v1/trackers/{name}/answers/{id}", { params: { name: tracker.name, id }, signal }),
    [tracker.name, id],
  );
  const { value, error } = loaded;
  if (error instanceof ApiError && error.status === 404)
    return (
      <Empty title="Answer not found">
        <p>
          It may have been deleted because of its age. <a href={addressOf(tracker.name, "answers")}>All answers</a>
        </p>
      </Empty>
    );
  return (
    <>
      <Loading of={loaded} lines={10} />
      {value && <SampleData when={value.madeUp} />}
      {value && <Viewer tracker={tracker} panel={panel} answer={value} id={id} />}
    </>
  );
}

const to = (tracker: string, id: string | undefined) => id && addressOf(tracker, "answers", {}, id);

/** Returns the answer with the same sample number, or else the first. */
const sameSample = (answers: CellAnswer[], sample: number) =>
  (answers.find((one) => one.sample === sample) ?? answers[0])?.id;

/** Returns the answers of the same prompt and sweep on the previous and next target, in the order of the settings. */
function useNeighbors({ name, definition }: TabProps["tracker"], answer: TrackedAnswer) {
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
  const neighbor = (step: number) => {
    const wanted = targets[targets.indexOf(target) + step];
    const there = found.filter((one) => one.target === wanted);
    return (there.find((one) => one.sample === sample) ?? there[0])?.id;
  };
  return { left: neighbor(-1), right: neighbor(1) };
}

type ViewerProps = { tracker: TabProps["tracker"]; panel: PanelBrand[]; answer: TrackedAnswer; id: string };

/** Shows an answer. While the answer with the ID is loading, this is the previous one. */
function Viewer({ tracker, panel, answer, id }: ViewerProps) {
  const [chosen, setChosen] = useState<number>();
  const [help, setHelp] = useState(false);
  const { left, right } = useNeighbors(tracker, answer);
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
            {targetLabel(answer.target)} · <When at={answer.askedAt} /> · sample {answer.sample} ·{" "}
            <OutcomeMark of={answer} />
          </p>
        </div>
        <nav class="answer-ways" aria-label="Other answers to this prompt">
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
            Compare <kbd>D</kbd>
          </button>
          <Button text="?" class="small" onClick={() => setHelp(true)} aria-label="Keyboard shortcuts" />
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
      <AsCall path={apiPath(tracker.name, `/answers/${answer.id}`)} />
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
      <Empty title="No answer">
        {reason ? `${reasonWords(reason)}. Missing answers are left out of all metrics.` : "Still in progress."}
      </Empty>
    );
  const provider = answer.target.split("/")[0] as Provider;
  const named = new Set(found.mentions.filter(({ position }) => position > 0).map(({ brand }) => brand)).size;
  const mentions = found.mentions.filter(({ kind }) => kind !== "absent");
  const sourced = mentions.filter(({ citations }) => citations.length).length;
  const names = () => (
    <>
      <p class="faint legend-line">
        <mark class="m">name</mark> mention <mark class="m absent">name</mark> negated, not counted{" "}
        <span class="cite" aria-hidden="true">
          2
        </span>{" "}
        source of the sentence <span class="unbacked">no source</span>
      </p>
      <Shown found={found} panel={panel} chosen={chosen} choose={choose} />
      <p class="basis">
        <span>{counted(named, "brand")}</span>
        <span>
          {counted(mentions.length, "mention")}, {number(sourced)} with a source
        </span>
        <span>{counted(found.citations.length, "source")}</span>
        <span>Matching rules {found.rules}</span>
      </p>
    </>
  );
  return (
    <Tabs
      label="Views of the answer"
      tabs={[
        { name: "Mentions", content: names },
        { name: "Original", content: () => <ResultView result={result} provider={provider} /> },
        { name: "JSON", content: () => <JsonView value={answer} /> },
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
        <p class="faint">No sources</p>
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
        <span class="faint">Select a source to highlight its sentences</span>
      </div>
      <ol class="source-list">
        {citations.map((page) => (
          <li key={page.position} class={chosen === page.position ? "chosen" : undefined}>
            <Button
              text={page.position}
              class="cite"
              aria-pressed={chosen === page.position}
              aria-label={`Highlight the sentences of source ${page.position}`}
              onClick={() => choose(page.position)}
            />
            <div>
              <span class="faint">{page.domain}</span> <SourceType of={page} />
              <div class="source-url">
                <External href={page.url}>{page.url}</External>
              </div>
              <span class="faint">
                {backs(page.position).length
                  ? `Cited for ${backs(page.position).join(", ")}`
                  : "Not cited for a tracked brand"}
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
  const ifNamed = (show: (row: (typeof rows)[number]) => preact.ComponentChildren) => (row: (typeof rows)[number]) =>
    row.counted.length > 0 && show(row);
  return (
    <section class="card">
      <h2>Order of brands</h2>
      <CardTable
        plain
        label="Order of brands"
        testid="order"
        rows={rows}
        rowKey={({ brand }) => brand.name}
        cells={{
          Brand: ({ brand }) => <BrandName brand={brand} />,
          "#Position": ({ counted, all, place, rank }) =>
            counted.length ? (
              <>
                {place ?? "–"}
                {rank && <div class="faint">list {rank}</div>}
              </>
            ) : (
              <span class="faint">{all.length ? "Negated" : "Not named"}</span>
            ),
          "#Mentions": ifNamed(({ counted }) => counted.length),
          "#With source": ifNamed(({ sourced }) => sourced),
        }}
      />
    </section>
  );
}

function About({ tracker, answer }: { tracker: string; answer: TrackedAnswer }) {
  const prompt = addressOf(tracker, "prompts", { prompt: String(answer.promptId) });
  return (
    <section class="card">
      <h2>Details</h2>
      <Facts
        class="answer-facts"
        of={{
          Prompt: <a href={prompt}>{answer.prompt}</a>,
          Target: targetLabel(answer.target),
          Sweep: <a href={addressOf(tracker, "answers", { sweep: answer.sweep })}>All answers</a>,
          Asked: <When at={answer.askedAt} />,
          Finished: <When at={answer.finishedAt} />,
          Sample: answer.sample,
          Model: answer.model || "Unknown",
          Surface: answer.surface ? <span class="badge">{answer.surface}</span> : "–",
          "Matching rules": answer.found?.rules ?? "–",
          Attempts: answer.attempts,
          Cost: counted(answer.creditsCharged, "credit"),
          "Request ID": (
            <>
              <a href={pageAddress(["history", answer.id])}>
                <code>{answer.id}</code>
              </a>{" "}
              <Copy text={answer.id} />
            </>
          ),
        }}
      />
    </section>
  );
}

function CellAnswers({ tracker, answer: { cell, promptId, target } }: { tracker: string; answer: TrackedAnswer }) {
  const groups: [string, CellAnswer[]][] = [
    ["Same sweep", cell?.samples ?? []],
    ["Next sweep", cell?.next ?? []],
    ["Previous sweep", cell?.previous ?? []],
  ];
  return (
    <section class="card" data-testid="cell-answers">
      <h2>Same prompt and target</h2>
      {groups
        .filter(([, answers]) => answers.length)
        .map(([title, answers]) => (
          <div key={title}>
            <h3>{title}</h3>
            <ul class="plain-list">
              {answers.map((one) => (
                <li key={one.id}>
                  <a href={addressOf(tracker, "answers", {}, one.id)}>
                    <When at={one.askedAt} brief />, sample {one.sample}
                  </a>{" "}
                  <OutcomeMark of={one} />{" "}
                  <Button text="Compare" class="small" onClick={() => setQuery({ diff: one.id })} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      <p>
        <a href={addressOf(tracker, "answers", { promptId: String(promptId), target })}>
          All answers to this prompt on this target
        </a>
      </p>
    </section>
  );
}
