import assert from "node:assert/strict";
import test from "node:test";
import { nameIn, toYAML } from "../src/trackers/yaml";

test("a definition becomes the file that makes it", () => {
  assert.equal(
    toYAML({
      name: "shoes",
      brands: [{ name: "On", own: true, domains: ["on.example"] }],
      samples: 1,
      prompts: ["best shoes, and why?", { text: "a: b # no comment", tags: ["trail"] }, "- dash", "yes"],
      schedule: { at: "06:00" },
      none: undefined,
      empty: [],
    }),
    `name: shoes
brands:
  - name: "On"
    own: true
    domains:
      - on.example
samples: 1
prompts:
  - best shoes, and why?
  - text: "a: b # no comment"
    tags:
      - trail
  - "- dash"
  - "yes"
schedule:
  at: "06:00"
empty: []
`,
  );
});

test("the name of a file is found, and not that of a brand in it", () => {
  assert.equal(nameIn("# shoes\nname: run-1 # mine\nbrands: []"), "run-1");
  assert.equal(nameIn('{"name": "run", "prompts": []}'), "run");
  assert.equal(nameIn('{\n  "name": "run",\n  "prompts": []}'), "run");
  assert.equal(nameIn("brands:\n  - {name: Ollaro}\n  - name: Kestrin"), "");
});
