import assert from "node:assert/strict";
import test from "node:test";
import { partsOf } from "../src/trackers/contents/marked";

const shown = (search: string, ...added: string[]) =>
  partsOf(search, added)
    .map(({ text, isAdded }) => (isAdded ? `[${text}]` : text))
    .join("");

test("mark the words that a search adds to its prompt", () => {
  assert.equal(shown("best running shoes 2026", "2026"), "best running shoes [2026]");
  assert.equal(shown("trail a run, A: a", "a"), "trail [a] run, A: a");
  assert.equal(shown("跑鞋推荐2026", "推荐"), "跑鞋[推荐]2026");
  assert.equal(shown("shoes", "boots"), "shoes");
  assert.equal(shown(""), "");
});
