import assert from "node:assert/strict";
import test from "node:test";
import { fieldLabel, productName, targetLabel } from "../src/names";
import { dateText, setZone, timeText } from "../src/time";
import { problemText } from "../src/trackers/problems";

test("name products and targets", () => {
  assert.equal(productName("chatassistant"), "ChatGPT");
  assert.equal(productName("constructor"), "constructor");
  assert.equal(targetLabel("chatassistant/US"), "ChatGPT · US");
  assert.equal(targetLabel("websearch/news/DE/mobile@web"), "Google News · DE · mobile (web)");
  assert.equal(targetLabel("*"), "All targets");
  assert.equal(targetLabel("*api"), "All targets (api)");
  assert.equal(targetLabel("elsewhere/US"), "elsewhere/US");
  assert.equal(fieldLabel("payload.country"), "Country");
  assert.equal(fieldLabel("names[0].expiresAt"), "Expires at");
});

test("write dates and times in the zone of the page", () => {
  setZone("Europe/Berlin");
  assert.equal(timeText("2026-11-17T23:30:05Z"), "18 Nov 2026, 00:30");
  assert.equal(timeText("2026-11-17T23:30:05Z", true), "18 Nov 2026, 00:30:05");
  assert.equal(dateText("2026-11-17T23:30:05Z"), "18 Nov 2026");
  assert.equal(dateText("2026-11-17"), "17 Nov 2026");
  assert.equal(dateText("yesterday"), "yesterday");
});

test("write problems of settings as sentences", () => {
  const definition = { brands: [{ name: "Ollaro" }, { name: "Kestrin" }], prompts: [], targets: [] };
  const text = (field: string, message: string) => problemText({ field, message }, definition);
  assert.equal(text("brands[1].domains[0]", "must be a host name"), "The website of brand Kestrin must be a host name");
  assert.equal(
    text("brands[1].name", "is the same as the name of brands[0]"),
    "The name of brand Kestrin is the same as the name of brand Ollaro",
  );
  assert.equal(text("targets[2].country", "is required"), "The country of target 3 is required");
  assert.equal(text("prompts[0]", "must not be empty"), "Prompt 1 must not be empty");
  assert.equal(text("schedule.within", "is too long"), "The time window is too long");
  assert.equal(text("unknown.field", "is not known"), "The setting unknown.field is not known");
  assert.equal(
    problemText({ field: "body", message: "is not valid YAML", line: 3 }),
    "Line 3: The text is not valid YAML",
  );
});
