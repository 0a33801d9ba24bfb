import assert from "node:assert/strict";
import test from "node:test";
import type { FoundMention } from "earshot";
import { indexOfByte, linesOf } from "../src/trackers/answers/text";

const mention = (text: string, name: string, sentence: string, citations: number[] = []): FoundMention => {
  const byte = (part: string) => new TextEncoder().encode(text.slice(0, text.indexOf(part))).length;
  const length = (part: string) => new TextEncoder().encode(part).length;
  return {
    brand: name,
    own: false,
    name,
    kind: "name",
    where: "text",
    text: 0,
    start: byte(name),
    end: byte(name) + length(name),
    position: 1,
    sentenceStart: byte(sentence),
    sentenceEnd: byte(sentence) + length(sentence),
    domains: [],
    citations,
  };
};
const shown = (text: string, mentions: FoundMention[], markdown = false) =>
  linesOf(text, mentions, markdown).map(
    ({ kind, label, parts }) =>
      `${kind} ${label}|` +
      parts
        .map((part) => ("support" in part ? `<${part.support}>` : part.mention ? `[${part.text}]` : part.text))
        .join(""),
  );

test("bytes of the API are found in texts of any script", () => {
  const at = indexOfByte("aé資😀b");
  assert.deepEqual([0, 1, 3, 6, 10, 11, 99].map(at), [0, 1, 2, 3, 5, 6, 6]);
});

test("names are cut out where they stand, with the support of their sentence behind it", () => {
  const text = "資生堂 and Totême 😀 lead.\nNobody else.";
  assert.deepEqual(
    shown(text, [
      mention(text, "資生堂", "資生堂 and Totême 😀 lead.\n", [2, 1]),
      mention(text, "Totême", "資生堂 and Totême 😀 lead.\n"),
    ]),
    ["text |[資生堂] and [Totême] 😀 lead.<1,2>", "text |Nobody else."],
  );
});

test("marks of Markdown are read and not shown", () => {
  const text = "## Good **ones**\n1. **Ollaro** – see [a test](https://x.example/a)\n- C** stays";
  assert.deepEqual(shown(text, [mention(text, "Ollaro", "**Ollaro** – see [a test](https://x.example/a)", [])], true), [
    "heading |Good ones",
    "item 1.|[Ollaro] – see a test<>",
    "item •|C stays",
  ]);
  assert.deepEqual(shown("<b>**bold**</b>", []), ["text |<b>**bold**</b>"]);
});
