import assert from "node:assert/strict";
import test from "node:test";
import { actionText, browserName, changesOf, roleWith, signInPath, signInProblem } from "../src/people/words";

test("name browsers in words", () => {
  const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
  for (const [agent, name] of [
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36`, "Chrome on Windows"],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, "Edge on Windows"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/18.0 Safari/605.1.15`, "Safari on macOS"],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webkit} CriOS/140.0 Safari/604.1`, "Chrome on iPhone"],
    [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${webkit} Chrome/140.0 Mobile Safari/537.36`, "Chrome on Android"],
    ["curl/8.5.0", "curl"],
    ["<b>", "Unknown browser"],
    ["", "Unknown browser"],
  ])
    assert.equal(browserName(agent), name);
});

test("say actions of the audit log in words", () => {
  assert.equal(actionText("key.create"), "Key created");
  assert.equal(actionText("share.revoke"), "Share link revoked");
  assert.equal(actionText("session.refused"), "Sign-in refused");
  assert.equal(actionText("session.signin"), "Signed in");
  assert.equal(actionText("user.role"), "Role changed");
  assert.equal(actionText("kettle.boil"), "kettle.boil");
  assert.equal(actionText("constructor.name"), "constructor.name");
});

test("list changed fields with their values before and after", () => {
  assert.deepEqual(changesOf({ role: "viewer", scopes: ["read"] }, { role: "editor", scopes: ["read", "track"] }), [
    { field: "role", before: "viewer", after: "editor" },
    { field: "scopes", before: "read", after: "read, track" },
  ]);
  assert.deepEqual(changesOf(null, { name: "", limit: 0, schedule: { cron: "0 6 * * *", zone: "UTC" } }), [
    { field: "name", before: "–", after: "–" },
    { field: "limit", before: "–", after: "0" },
    { field: "schedule", before: "–", after: 'cron: "0 6 * * *"\nzone: UTC' },
  ]);
  assert.deepEqual(changesOf(null, null), []);
});

test("return to the page from which a sign-in began", () => {
  assert.equal(signInPath("google", "#/trackers/a?days=7"), "signin/google?to=%2Ftrackers%2Fa%3Fdays%3D7");
  assert.equal(signInPath("a/b", ""), "signin/a%2Fb");
  assert.equal(signInPath("google", "#/signin?problem=denied"), "signin/google");
  assert.equal(signInPath("google", "#/join/ear_inv_x"), "signin/google");
});

test("say why a sign-in failed", () => {
  assert.match(signInProblem("no-role"), /Ask an admin/);
  assert.equal(signInProblem("toString"), "Signing in did not work. Try again.");
});

test("name the lowest role with a scope", () => {
  assert.deepEqual((["read", "track", "monitor", "admin"] as const).map(roleWith), [
    "viewer",
    "editor",
    "editor",
    "admin",
  ]);
});
