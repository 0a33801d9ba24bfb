import assert from "node:assert/strict";
import test from "node:test";
import type { ComparedRow, MetricRow, MetricBreak } from "earshot";
import { sortedRows } from "../src/trackers/order";
import { sentenceOf, type Findings, type SourceMove } from "../src/trackers/why/sentence";

/** Returns a row that goes from one share to another on a number of cells. */
const row = (target: string, before: number, after: number, more: Partial<ComparedRow> = {}): ComparedRow => ({
  metric: "visibility@m1",
  brand: "Ollaro",
  target,
  verdict: "moved",
  summary: "",
  before,
  after,
  change: after - before,
  interval: [after - before - 0.05, after - before + 0.05],
  p: 0.01,
  smallestChange: 0.05,
  noiseFloor: null,
  cells: 40,
  cellsLeftOut: 0,
  gaps: 0,
  plainChange: after - before,
  sweepsBefore: 28,
  sweepsAfter: 28,
  answersBefore: 1000,
  answersAfter: 1000,
  breaks: 0,
  ...more,
});

const source = (name: string, kind: SourceMove["kind"], before: number, after: number, backs = true): SourceMove => ({
  name,
  kind,
  before,
  after,
  backs,
});

/** Returns the sentence about a fall of Ollaro on two targets, with changes, and with plain spaces. */
const say = (changes: Partial<Findings> = {}) =>
  sentenceOf({
    brand: "Ollaro",
    metric: "visibility",
    whole: row("*", 0.58, 0.41, { cells: 80 }),
    targets: [row("chatassistant/US", 0.6, 0.32), row("genassistant/DE", 0.56, 0.5, { verdict: "steady" })],
    prompts: undefined,
    sources: [],
    breaks: [],
    ...changes,
  }).replaceAll("\u00a0", " ");

const start = "Ollaro’s visibility fell from 58.0 % to 41.0 %";
const prompts = (moved: number, total: number, rows = moved) => ({
  moved,
  total,
  rows: Array.from({ length: rows }, () => row("*", 0.8, 0.4, { cells: 2 })),
});

test("say on which targets and in how many prompts a metric moved, and how much they account for", () => {
  assert.equal(say(), `${start}: about 82 % of it on ChatGPT · US.`);
  assert.equal(
    say({ prompts: prompts(7, 40) }),
    `${start}: about 82 % of it on ChatGPT · US, in 7 of 40 prompts (about 41 % of it).`,
  );
  assert.equal(
    say({ whole: row("*", 0.41, 0.58, { cells: 80 }), targets: [row("claude/US", 0.3, 0.6), row("model", 0.5, 0.49)] }),
    "Ollaro’s visibility rose from 41.0 % to 58.0 %: about 88 % of it on Claude · US.",
  );
});

test("name two of several targets and count the others", () => {
  const target = (country: string, after: number, verdict: ComparedRow["verdict"] = "moved") =>
    row(`chatassistant/${country}`, 0.6, after, { verdict });
  assert.equal(
    say({
      targets: [target("US", 0.5), target("DE", 0.3), target("FR", 0.4)],
      whole: row("*", 0.6, 0.4, { cells: 120 }),
    }),
    "Ollaro’s visibility fell from 60.0 % to 40.0 %: on all 3 targets, " +
      "about 83 % of it on ChatGPT · DE and ChatGPT · FR.",
  );
  assert.equal(
    say({
      targets: [target("US", 0.5), target("DE", 0.3), target("FR", 0.4), target("GB", 0.6, "steady")],
      whole: row("*", 0.6, 0.45, { cells: 160 }),
    }),
    "Ollaro’s visibility fell from 60.0 % to 45.0 %: " +
      "about 83 % of it on ChatGPT · DE and ChatGPT · FR and on 1 other target.",
  );
});

test("say when a part is larger than the whole, because other targets moved the other way", () => {
  const targets = [row("chatassistant/US", 0.6, 0.2), row("genassistant/DE", 0.5, 0.7)];
  assert.equal(
    say({ targets, whole: row("*", 0.55, 0.45, { cells: 80 }) }),
    "Ollaro’s visibility fell from 55.0 % to 45.0 %: more than all of it on ChatGPT · US.",
  );
});

test("name no target and no prompt that the API does not call moved", () => {
  const steady = { verdict: "steady" } as const;
  const targets = [row("chatassistant/US", 0.6, 0.4, steady), row("genassistant/DE", 0.56, 0.42, steady)];
  assert.equal(
    say({ targets, prompts: prompts(0, 40) }),
    `${start}: on no single target by more than normal variation, in no single prompt by more than normal variation.`,
  );
  // Prompts that moved the other way do not explain a fall.
  const rose = { moved: 1, total: 40, rows: [row("*", 0.2, 0.9)] };
  assert.match(say({ prompts: rose }), /in no single prompt/);
  // Only some of the prompts that moved are known.
  assert.equal(
    say({ prompts: prompts(300, 1000, 50) }),
    `${start}: about 82 % of it on ChatGPT · US, 300 of 1,000 prompts moved.`,
  );
});

test("claim no part of a ratio", () => {
  const ratio = { metric: "shareOfVoice@m1" };
  assert.equal(
    say({
      metric: "share of voice",
      whole: row("*", 0.3, 0.2, ratio),
      targets: [row("chatassistant/US", 0.3, 0.1, ratio), row("model", 0.3, 0.29, { ...ratio, verdict: "steady" })],
      prompts: prompts(2, 5),
    }),
    "Ollaro’s share of voice fell from 30.0 % to 20.0 %: on ChatGPT · US, in 2 of 5 prompts.",
  );
});

test("name the target of a change on one target", () => {
  const whole = row("chatassistant/US", 0.6, 0.32);
  assert.equal(say({ whole, targets: [whole] }), "Ollaro’s visibility on ChatGPT · US fell from 60.0 % to 32.0 %.");
});

test("name the day and the target of a shift", () => {
  const shift = { target: "chatassistant/US", since: "2026-05-12" };
  assert.equal(say({ targets: [], shift }), `${start}, with a shift on ChatGPT · US on 12 May 2026.`);
  assert.equal(
    say({ targets: [], shift, whole: row("chatassistant/US", 0.6, 0.32) }),
    "Ollaro’s visibility on ChatGPT · US fell from 60.0 % to 32.0 %, with a shift on 12 May 2026.",
  );
});

test("name sources only as something at the same time", () => {
  const targets: ComparedRow[] = [];
  assert.equal(
    say({ targets, sources: [source("x.example", "gone", 34, 0), source("y.example", "less", 90, 20)] }),
    `${start}. At the same time, y.example is cited less (90 answers before, 20 now) and ` +
      "x.example is no longer cited (34 answers before).",
  );
  // A source that is not cited for the brand, that rose while the brand fell, or that is rare.
  const others = [
    source("a.example", "gone", 99, 0, false),
    source("b.example", "new", 0, 99),
    source("c.example", "gone", 9, 0),
  ];
  assert.equal(say({ targets, sources: others }), `${start}.`);
  const rise = { whole: row("*", 0.4, 0.5), targets, sources: others };
  assert.match(say(rise), /At the same time, b\.example is newly cited \(99 answers\)\.$/);
});

test("say that a break may be the reason", () => {
  const breaks: MetricBreak[] = [
    {
      sweep: "",
      at: "2026-05-04T04:00:00.000Z",
      target: "chatassistant/US",
      kind: "model",
      reason: "the model of most answers changed from a to b",
      open: true,
    },
  ];
  const caution =
    "The change may not be real, because the periods cannot be compared directly: " +
    "the model of most answers changed from a to b on ChatGPT · US on 4 May 2026.";
  assert.equal(say({ targets: [], whole: row("*", 0.58, 0.41, { breaks: 1 }), breaks }), `${start}. ${caution}`);
  // A break that does not touch the periods of the change.
  assert.equal(say({ targets: [], breaks }), `${start}.`);
});

test("give no reason for a change that is steady or too early", () => {
  const sources = [source("x.example", "gone", 34, 0)];
  const steady = row("*", 0.44, 0.421, { verdict: "steady", cells: 80 });
  assert.equal(
    say({ whole: steady, sources, targets: [], prompts: prompts(0, 40) }),
    "Ollaro’s visibility is steady: it went from 44.0 % to 42.1 %. Within normal variation (±5.0).",
  );
  assert.equal(
    say({ whole: steady, sources, prompts: prompts(2, 40) }),
    "Ollaro’s visibility is steady: it went from 44.0 % to 42.1 %. Within normal variation (±5.0). " +
      "It moved on ChatGPT · US (down 28.0 points). It moved in 2 of 40 prompts.",
  );
  assert.equal(
    say({ whole: row("*", 0.6, 0.2, { verdict: "tooEarly", sweepsBefore: 1, sweepsAfter: 3 }), sources }),
    "It is too early to tell whether Ollaro’s visibility changed: there are 1 sweep before and 3 after, " +
      "and each period needs 5. So far it went from 60.0 % to 20.0 %.",
  );
  const nothing = "There is nothing to compare: one of the periods has no answers.";
  assert.equal(say({ whole: undefined }), nothing);
  assert.equal(say({ whole: row("*", 0.6, 0.2, { change: null, verdict: "tooEarly" }) }), nothing);
});

test("sort prompts by change, and prompts without a change last", () => {
  const metric = (promptId: number, prompt: string, value: number | null) => ({ promptId, prompt, value }) as MetricRow;
  const rows = [metric(1, "b", 0.5), metric(2, "a", null), metric(3, "c", 0.9), metric(4, "d", 0.1)];
  const changes = new Map([1, 3, 4].map((id) => [id as number | undefined, row("*", 0.5, 0.5 + id / 10 - 0.3)]));
  const ids = (...[order, search = ""]: [Parameters<typeof sortedRows>[1], string?]) =>
    sortedRows(rows, order, search, changes).map(({ promptId }) => promptId);
  assert.deepEqual(ids("change"), [1, 3, 4, 2]);
  assert.deepEqual(ids("-change"), [4, 3, 1, 2]);
  assert.deepEqual(ids("value"), [4, 1, 3, 2]);
  assert.deepEqual(ids("-value"), [3, 1, 4, 2]);
  assert.deepEqual(ids("text"), [2, 1, 3, 4]);
  assert.deepEqual(ids("asked", "B"), [1]);
  assert.deepEqual(
    rows.map(({ promptId }) => promptId),
    [1, 2, 3, 4],
  );
});
