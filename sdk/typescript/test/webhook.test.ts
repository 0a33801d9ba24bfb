import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { InvalidSignature, verifyWebhook } from "earshot";

const current = "whsec_bmV3IG5ldyBuZXcgbmV3IG5ldyBuZXc=";
const previous = "whsec_b2xkIG9sZCBvbGQgb2xkIG9sZCBvbGQ=";
const body = `{"task":{"id":"7","status":"COMPLETED"},"credits":{},"result":{"text":"Größe"}}`;

/** Returns the headers of a webhook, signed with each of the secrets. */
function signed(secrets: string[], age = 0, text = body) {
  const timestamp = String(Math.floor(Date.now() / 1000) - age);
  const sign = (secret: string) =>
    "v1," +
    createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
      .update(`msg-1.${timestamp}.${text}`)
      .digest("base64");
  const signature = ["v2,x", "v1,???", ...secrets.map(sign)].join(" ");
  return { "webhook-id": "msg-1", "webhook-timestamp": timestamp, "webhook-signature": signature };
}

test("valid webhooks", async () => {
  for (const [by, secrets] of [
    [[current], [current]],
    [[current, previous], [previous]],
    [[previous], [current, previous]],
  ] as const) {
    const event = await verifyWebhook(signed([...by]), body, ...secrets);
    assert.ok("task" in event && event.task.id === "7");
  }
  const bytes = new TextEncoder().encode(body);
  await verifyWebhook(new Headers(signed([current])), bytes, current);
  await verifyWebhook(signed([current]), bytes.buffer as ArrayBuffer, current);
  await verifyWebhook(signed([current]), Buffer.from(body), current);
});

test("invalid webhooks", async () => {
  for (const [name, headers, text] of [
    ["another secret", signed([previous]), body],
    ["another body", signed([current]), body.replace("7", "8")],
    ["an old webhook", signed([current], 3600), body],
    ["a webhook from the future", signed([current], -3600), body],
    ["no headers", {}, body],
    ["no signature", { ...signed([current]), "webhook-signature": undefined }, body],
    ["another id", { ...signed([current]), "webhook-id": "msg-2" }, body],
  ] as const) {
    await assert.rejects(verifyWebhook(headers, text, current), InvalidSignature, name);
  }
  await assert.rejects(verifyWebhook(signed([current], 0, "no JSON"), "no JSON", current), SyntaxError);
});

test("invalid secrets are not named", async () => {
  await assert.rejects(verifyWebhook(signed([""]), body), /no webhook secret/);
  for (const secret of ["", "whsec_", "whsec_!secret!"]) {
    await assert.rejects(verifyWebhook(signed([current]), body, secret), {
      name: "TypeError",
      message: "a webhook secret is not of the form whsec_…",
    });
  }
});
