import assert from "node:assert/strict";
import test from "node:test";
import { visit } from "./browser";
import { followAddress } from "../src/state";
import { addressOf, answersAddress, whyAddress } from "../src/trackers/address";

const filters = "days=7&target=chatassistant%2FUS&provider=chatassistant&country=US&tag=trail&surface=web&brand=Ollaro";

/** Opens a page and returns the query of an address that a link on it has. */
function linkOn(page: string, link: () => string): Record<string, string> {
  visit(page);
  followAddress();
  return Object.fromEntries(new URLSearchParams(link().split("?")[1]));
}

const all = Object.fromEntries(new URLSearchParams(filters));

test("keep the filters in links between the pages of a tracker", () => {
  for (const tab of ["overview", "prompts", "sources", "answers", "sweeps", "alerts", "brands", "definition"])
    assert.deepEqual(
      linkOn(`#/trackers/shoes/prompts?${filters}&page=3`, () => addressOf("shoes", tab)),
      all,
      tab,
    );
  const answer = linkOn(`#/trackers/shoes/answers/1?${filters}&diff=2`, () => addressOf("shoes", "answers", {}, "3"));
  assert.deepEqual(answer, all);
});

test("change and remove filters in links", () => {
  const link = () => addressOf("shoes", "answers", { brand: undefined, target: "answerengine/DE", outcome: "missing" });
  const { brand, ...rest } = all;
  assert.equal(brand, "Ollaro");
  assert.deepEqual(linkOn(`#/trackers/shoes/overview?${filters}`, link), {
    ...rest,
    target: "answerengine/DE",
    outcome: "missing",
  });
});

test("leave out the period in links to a sweep", () => {
  const { days, ...rest } = all;
  assert.equal(days, "7");
  assert.deepEqual(
    linkOn(`#/trackers/shoes/sweeps?${filters}`, () => addressOf("shoes", "answers", { sweep: "1" })),
    { ...rest, sweep: "1" },
  );
});

test("do not take the filters to another tracker", () => {
  for (const page of ["#/trackers/hats/overview", "#/history"])
    assert.deepEqual(
      linkOn(`${page}?${filters}`, () => addressOf("shoes", "overview")),
      {},
    );
});

test("link a number to exactly the answers that it counts", () => {
  const url = "/v1/trackers/shoes/answers?counted=true&dueFrom=2026-11-01&filter=target:chatassistant/US,country:US";
  assert.deepEqual(
    linkOn(`#/trackers/shoes/overview?${filters}`, () => answersAddress("shoes", url, "Kestrin")),
    { counted: "true", dueFrom: "2026-11-01", target: "chatassistant/US", brand: "Kestrin", filter: "country:US" },
  );
});

test("explain the change of an alert without the filters of the page", () => {
  const change = { metric: "visibility", brand: "Kestrin", target: "answerengine/DE@web" };
  const period = { from: "2026-11-01", to: "2026-11-10" };
  assert.deepEqual(
    linkOn(`#/trackers/shoes/alerts?${filters}`, () => whyAddress(change, period)),
    { ...period, ...change, target: "answerengine/DE", surface: "web" },
  );
});
