import assert from "node:assert/strict";
import test from "node:test";
import type { OpenAPI, Provider } from "../src/schema";
import { readRows, type Draft } from "../src/tasks/rows";

const api: OpenAPI = {
  info: { title: "", version: "" }, paths: {},
  components: {
    schemas: {
      TaskRequest: {
        properties: { taskType: { type: "string" }, payload: { type: "object" }, priority: { type: "integer" }, idempotencyKey: { type: "string" }, webhook: { type: "object" } },
      },
    },
  },
};
const chat: Provider = {
  name: "chatassistant", taskType: "CHATASSISTANT", textField: "prompt", summary: "", description: "", example: {},
  schema: {
    required: ["prompt", "country"],
    properties: { prompt: { type: "string" }, country: { type: "string" }, include: { type: "object", properties: { markdown: { type: "boolean" } } } },
  },
};
const search: Provider = { ...chat, name: "websearch", taskType: "WEBSEARCH", textField: "query", schema: { properties: { query: { type: "string" }, country: { type: "string" }, pages: { type: "integer" } } } };
const draft: Draft = { taskType: "CHATASSISTANT", country: "DE", priority: "", webhook: "", text: "", file: "", again: "" };

const read = (change: Partial<Draft>, chosen = chat) => readRows({ ...draft, ...change }, chosen, api, [chat, search]);
const payloads = (change: Partial<Draft>, chosen = chat) => read(change, chosen).rows.map(({ request }) => request.payload);

test("every line is a prompt", () => {
  const { rows } = read({ text: "one, two\n\nthree\n" });
  assert.deepEqual(rows.map(({ line, question }) => [line, question]), [[1, "one, two"], [3, "three"]]);
  assert.deepEqual(rows[0].request.payload, { prompt: "one, two", country: "DE" });
});

test("without a country none is made up", () => {
  assert.deepEqual(payloads({ text: "one", country: "" }), [{ prompt: "one" }]);
});

test("the head of a file names fields, in any letter case", () => {
  const file = "Prompt,COUNTRY,include.markdown,Priority\nshoes,US,yes,3\nhats,,,\n";
  const { rows, ignored } = read({ file: "x.csv", text: file, priority: "2" });
  assert.deepEqual(rows.map(({ request }) => request.payload), [{ prompt: "shoes", country: "US", include: { markdown: true } }, { prompt: "hats", country: "DE" }]);
  assert.deepEqual(rows.map(({ request }) => request.priority), [3, 2], "a row's own goes before the form's");
  assert.deepEqual(ignored, []);
});

test("a row may name another provider, whose field the question goes to", () => {
  const [row] = read({ file: "x.csv", text: "taskType,prompt,pages\nWEBSEARCH,shoes,2\n" }).rows;
  assert.deepEqual([row.request.taskType, row.request.payload], ["WEBSEARCH", { query: "shoes", pages: 2, country: "DE" }]);
});

test("a file without a head is a list of prompts", () => {
  assert.deepEqual(payloads({ file: "x.txt", text: "shoes, red\nhats\n" }), [{ prompt: "shoes, red", country: "DE" }, { prompt: "hats", country: "DE" }]);
});

test("faults are told by row, and the others stay", () => {
  const { rows } = read({ file: "x.csv", text: "prompt,country\nshoes,US,more\n,US\nhats,US\n" });
  assert.deepEqual(rows.map(({ fault }) => fault), ["has more fields than the head of the file", "has no prompt", undefined]);
  assert.equal(read({ file: "x.csv", text: "taskType,prompt\nNOBODY,x\n" }).rows[0].fault, "has no known provider: NOBODY");
});

test("columns that the provider does not know are named, and what does not fit stays for the server to refuse", () => {
  const { rows, ignored } = read({ file: "x.csv", text: "query,colour,pages\nshoes,red,many\n" }, search);
  assert.deepEqual(ignored, ["colour"]);
  assert.deepEqual(rows[0].request.payload, { query: "shoes", pages: "many", country: "DE" });
});

test("columns named like what every object has are no fields", () => {
  const { rows, ignored } = read({ file: "x.csv", text: "prompt,__proto__,constructor.x\nshoes,1,2\n" });
  assert.deepEqual(rows[0].request.payload, { prompt: "shoes", country: "DE" });
  assert.deepEqual(ignored, ["__proto__", "constructor"]);
});
