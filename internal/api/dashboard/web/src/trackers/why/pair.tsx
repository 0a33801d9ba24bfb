// An answer from before a change and one from after it, side by side, to the same prompt on the same target.
import { useState } from "preact/hooks";
import { call, retryRateLimited } from "../../api";
import type { CompareReport, ComparedRow, TrackedAnswer, Tracker } from "earshot";
import { targetLabel } from "../../names";
import { route } from "../../state";
import { timeText } from "../../time";
import { counted, Loading, number, Select, useLoad } from "../../ui";
import { addressOf, setQuery } from "../address";
import { Comparison } from "../answers/diff";
import { Shown } from "../answers/shown";
import { useCompare } from "../numbers";
import { Value, type PanelBrand } from "../pieces";

interface PairProps {
  tracker: Tracker;
  panel: PanelBrand[];
  brand: PanelBrand;
  asked: NonNullable<Parameters<typeof useCompare>[1]>;
  /** The prompts to choose from, the largest change first. */
  prompts: CompareReport;
}

export function Pair({ tracker, panel, brand, asked, prompts }: PairProps) {
  const { pair, on } = route.value.query;
  const prompt = prompts.rows.find(({ promptId }) => String(promptId) === pair) ?? prompts.rows[0];
  const parts = asked.filter?.split(",").filter((part) => !part.startsWith("prompt:")) ?? [];
  const filter = [...parts, `prompt:${prompt.promptId}`].join(",");
  const cells = useCompare(tracker.name, { ...asked, filter, branded: true, sort: "change" }, tracker);
  const targets = cells.value?.rows.filter(({ target }) => !target.startsWith("*")) ?? [];
  const found = targets.find(({ target }) => target === on) ?? targets[0];
  const cell = found && { ...found, promptId: prompt.promptId };
  const choices = prompts.rows.map(({ promptId, prompt }) => [String(promptId), prompt ?? ""] as const);
  return (
    <section class="card" aria-label="Answers before and after" data-testid="pair">
      <div class="title-line">
        <h2>Answers before and after</h2>
        <span class="filters">
          <Select
            aria-label="Prompt"
            value={String(prompt.promptId)}
            options={choices}
            onChoose={(chosen) => setQuery({ pair: chosen, on: "" })}
          />
          {cell && (
            <Select
              aria-label="Target"
              value={cell.target}
              options={targets.map(({ target }) => [target, targetLabel(target)])}
              onChoose={(chosen) => setQuery({ on: chosen })}
            />
          )}
        </span>
      </div>
      <Loading of={cells} lines={6} />
      {cells.value && !cell && <p class="faint">No answers in both periods</p>}
      {cell && (
        <>
          {/* No verdict: this pair was chosen because it changed most, so a test of it alone would mislead. */}
          <p>
            “<bdi>{prompt.prompt}</bdi>” on {targetLabel(cell.target)}: <Value of={cell.before} /> →{" "}
            <Value of={cell.after} />
          </p>
          <Answers
            key={`${prompt.promptId} ${cell.target}`}
            tracker={tracker}
            panel={panel}
            brand={brand.name}
            cell={cell}
            periods={[cells.value!.baseline, cells.value!.period]}
          />
        </>
      )}
    </section>
  );
}

interface AnswersProps {
  tracker: Tracker;
  panel: PanelBrand[];
  brand: string;
  cell: ComparedRow;
  periods: CompareReport["period"][];
}

/** An answer, and whether it names the brand. */
type Candidate = TrackedAnswer & { names: boolean };

const most = 50;

/** Returns the newest answers of a cell in a period, and which of them name the brand. */
async function candidates(
  { tracker, brand, cell }: AnswersProps,
  { from, to }: CompareReport["period"],
  signal: AbortSignal,
): Promise<Candidate[]> {
  const query = {
    promptId: cell.promptId,
    target: cell.target.split("@")[0],
    outcome: "answered",
    counted: true,
    branded: true,
    dueFrom: from,
    dueTo: to,
    limit: most,
  } as const;
  const read = (query: object) =>
    retryRateLimited(
      () => call("GET /v1/trackers/{name}/answers", { params: { name: tracker.name }, query, signal }),
      signal,
    );
  const [all, naming] = await Promise.all([read(query), read({ ...query, brand })]);
  const ids = new Set(naming.answers.map(({ id }) => id));
  return all.answers.map((answer) => ({ ...answer, names: ids.has(answer.id) }));
}

/** Two answers; at first, the newest of each period that show the change: one names the brand, the other does not. */
function Answers(props: AnswersProps) {
  const { tracker, panel, brand, cell, periods } = props;
  const [chosen, setChosen] = useState<(string | undefined)[]>([]);
  const lists = useLoad(
    (signal) => Promise.all(periods.map((period) => candidates(props, period, signal))),
    [cell.promptId, cell.target, periods[0].from, periods[1].to],
  );
  const fell = (cell.change ?? 0) < 0;
  const picked = lists.value?.map(
    (list, side) =>
      list.find(({ id }) => id === chosen[side]) ??
      list.find(({ names }) => names === (fell === (side === 0))) ??
      list[0],
  );
  if (!lists.value) return <Loading of={lists} lines={6} />;
  return (
    <>
      <p class="faint">
        Two answers as examples. The shares above are based on {counted(cell.answersBefore, "answer")} before and{" "}
        {number(cell.answersAfter)} after.
      </p>
      <div class="side-by-side">
        {lists.value.map((list, side) => (
          <div key={side} data-testid={side ? "after" : "before"}>
            <h3>{side ? "After" : "Before"}</h3>
            {!list.length && <p class="faint">No answers</p>}
            {picked?.[side] && (
              <>
                <Select
                  aria-label={side ? "Answer after" : "Answer before"}
                  value={picked[side].id}
                  options={list.map(({ id, askedAt, names }) => [
                    id,
                    `${timeText(askedAt)}, ${names ? "names" : "does not name"} ${brand}`,
                  ])}
                  onChoose={(id) => setChosen(side ? [chosen[0], id] : [id, chosen[1]])}
                />
                <Text key={picked[side].id} tracker={tracker.name} panel={panel} brand={brand} id={picked[side].id} />
              </>
            )}
          </div>
        ))}
      </div>
      {picked?.[0] && picked[1] && (
        <Comparison tracker={tracker.name} a={picked[0].id} b={picked[1].id} panel={panel} />
      )}
    </>
  );
}

/** The text of an answer with its mentions. */
function Text({ tracker, panel, brand, id }: { tracker: string; panel: PanelBrand[]; brand: string; id: string }) {
  const [lit, setLit] = useState<number>();
  const loaded = useLoad(
    (signal) => call("GET /v1/trackers/{name}/answers/{id}", { params: { name: tracker, id }, signal }),
    [tracker, id],
  );
  const { found, askedAt = "" } = loaded.value ?? {};
  return (
    <>
      <Loading of={loaded} lines={6} />
      {found && (
        <div class="why-text" role="region" tabIndex={0} aria-label={`Answer of ${timeText(askedAt)}, scrollable`}>
          <Shown found={found} panel={panel} chosen={lit} choose={setLit} />
        </div>
      )}
      <p>
        <a href={addressOf(tracker, "answers", { brand }, id)}>Open this answer</a>
      </p>
    </>
  );
}
