import assert from "node:assert/strict";
import test from "node:test";
import { channelRequest, freeName } from "../src/notifications/kinds";
import { sensitivityText } from "../src/trackers/sensitivity";

test("send only the fields of a channel's kind", () => {
  const values = { url: " https://hooks.example/x ", to: "ada@example.com, bob@example.com", botToken: "" };
  assert.deepEqual(channelRequest("slack", values), { kind: "slack", url: "https://hooks.example/x" });
  assert.deepEqual(channelRequest("mail", values), { kind: "mail", to: ["ada@example.com", "bob@example.com"] });
  assert.deepEqual(channelRequest("telegram", { botToken: "1:a", chatId: "-5", url: " " }), {
    kind: "telegram",
    botToken: "1:a",
    chatId: "-5",
  });
});

test("propose a name that no channel has", () => {
  assert.equal(freeName("slack", []), "slack");
  assert.equal(freeName("slack", ["slack", "slack-2"]), "slack-3");
});

test("name the alert sensitivity", () => {
  assert.equal(sensitivityText(0.25), "Low: 0.25 a year");
  assert.equal(sensitivityText(1), "Normal: 1 a year");
  assert.equal(sensitivityText(12), "High: 12 a year");
  assert.equal(sensitivityText(3), "Custom: 3 a year");
});
