import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, ConnectionFailed, EarshotError, ndjson, type TaskRequest } from "earshot";
import { breaks, closedPort, cuts, fails, type Reply, replying, says } from "./support.js";

const ok = says(200, `{"results":[]}`);
const hats = { prompt: "hats", country: "US" };

function task(idempotencyKey?: string): TaskRequest {
  return { taskType: "CHATASSISTANT", payload: hats, ...(idempotencyKey && { idempotencyKey }) };
}

/** One call of each kind, by whether it may be repeated. */
const calls: Record<"idempotent" | "once", Record<string, (client: Client) => Promise<unknown>>> = {
  idempotent: {
    reading: (c) => c.credits(),
    deleting: (c) => c.tasks.cancel("1"),
    resolving: (c) => c.goto({ url: "x" }),
    streaming: (c) => c.trackers.export("sport"),
    "asking with a key": (c) => c.ask("chatassistant", hats, { idempotencyKey: "a" }),
    "submitting with a key": (c) => c.tasks.submit("chatassistant", hats, { idempotencyKey: "a" }),
    "a batch with keys": (c) => c.tasks.submitBatch([task("a"), task("b")]),
    "a sweep with a key": (c) => c.sweeps.start("sport", { idempotencyKey: "a" }),
    // The client sends a key of its own.
    "a sweep": (c) => c.sweeps.start("sport", {}),
    "making a key": (c) => c.keys.create({ name: "a", scopes: ["read"] }),
  },
  once: {
    asking: (c) => c.ask("chatassistant", hats),
    submitting: (c) => c.tasks.submit("chatassistant", hats),
    "a batch without keys": (c) => c.tasks.submitBatch([task("a"), task()]),
  },
};

const failures: [name: string, reply: Reply, again: "all" | "idempotent" | "none"][] = [
  ["the rate limit is exceeded", fails(429, "RATE_LIMIT_EXCEEDED"), "all"],
  ["the node stops", fails(503, "SERVICE_UNAVAILABLE"), "all"],
  ["the connection breaks", breaks, "idempotent"],
  ["a proxy fails", says(502, "<html>Bad Gateway</html>"), "idempotent"],
  ["a proxy fails with JSON", says(503, `{"message":"Bad Gateway"}`), "idempotent"],
  ["a proxy refuses", says(403, "<html>"), "none"],
  ["a proxy redirects", says(307, "", { Location: "/elsewhere" }), "none"],
  ["all slots are in use", fails(429, "CONCURRENT_LIMIT_EXCEEDED", { limit: 1 }), "none"],
  ["the provider failed", fails(502, "EXTERNAL_SERVICE_ERROR", {}), "none"],
  ["an internal error", fails(500, "INTERNAL_SERVER_ERROR"), "none"],
  ["a call with the key is running", fails(409, "RESOURCE_CONFLICT", { requestId: "7" }), "none"],
  ["Retry-After is one hour", fails(503, "SERVICE_UNAVAILABLE", null, { "Retry-After": "3600" }), "none"],
];

for (const [name, reply, again] of failures) {
  test(name, { concurrency: true }, async (t) => {
    const cases = Object.entries(calls).flatMap(([kind, group]) =>
      Object.entries(group).map(([call, make]) => ({ call, make, retried: again === "all" || again === kind })),
    );
    await Promise.all(
      cases.map(({ call, make, retried }) =>
        t.test(call, async () => {
          const { client, received } = await replying([reply, ok]);
          const error = await make(client).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          assert.deepEqual([received.length, error === undefined], retried ? [2, true] : [1, false], String(error));
          assert.deepEqual(received.at(-1)?.body, received[0]?.body);
        }),
      ),
    );
  });
}

test("a response that is cut off is lost, and one that is not JSON is not", async () => {
  const cut = await replying([cuts, ok]);
  await cut.client.credits();
  assert.equal(cut.received.length, 2);
  const lost = await replying([cuts]);
  await assert.rejects(lost.client.ask("chatassistant", hats), ConnectionFailed);
  const stream = ndjson(await lost.client.trackers.export("sport"));
  await assert.rejects(stream.next(), ConnectionFailed);
  const page = await replying([says(200, "<html>")]);
  await assert.rejects(page.client.credits(), {
    name: "EarshotError",
    code: "",
    status: 200,
    message: /is not Earshot/,
  });
  assert.equal(page.received.length, 1);
});

test("a call that was never sent is repeated", async () => {
  const nobody = await closedPort();
  let attempts = 0;
  const { client, received } = await replying([ok], {
    fetch: (input, init) => fetch(++attempts === 1 ? nobody : input, init),
  });
  await client.ask("chatassistant", hats);
  assert.deepEqual([attempts, received.length], [2, 1]);
});

test("retries end, and can be turned off", async () => {
  const many = await replying([fails(429, "RATE_LIMIT_EXCEEDED")]);
  await assert.rejects(many.client.credits(), { code: "RATE_LIMIT_EXCEEDED" });
  assert.equal(many.received.length, 5);
  const none = await replying([fails(429, "RATE_LIMIT_EXCEEDED"), ok], { retries: 0 });
  await assert.rejects(none.client.credits(), { code: "RATE_LIMIT_EXCEEDED", retryAfter: 0 });
  assert.equal(none.received.length, 1);
});

test("Retry-After is respected", async () => {
  const { client, received } = await replying([fails(503, "SERVICE_UNAVAILABLE", null, { "Retry-After": "1" }), ok]);
  await client.credits();
  assert.ok(received[1]!.at - received[0]!.at >= 990, "it waited too short"); // a timer may be a little early
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const late = await replying([fails(503, "SERVICE_UNAVAILABLE", null, { "Retry-After": date })]);
  await assert.rejects(late.client.credits(), (error: EarshotError) => error.retryAfter > 3_000_000);
});

test("a signal and a timeout end a call and its retries", async () => {
  const busy = await replying([fails(503, "SERVICE_UNAVAILABLE", null, { "Retry-After": "20" })]);
  await assert.rejects(busy.client.credits({ timeout: 50 }), { name: "TimeoutError" });
  await assert.rejects(busy.client.credits({ timeout: 50, signal: new AbortController().signal }), {
    name: "TimeoutError",
  });
  await assert.rejects(
    busy.client.credits({ timeout: 60_000, signal: AbortSignal.abort(new Error("enough")) }),
    /enough/,
  );
  const stop = new AbortController();
  const silent = await replying([() => stop.abort(new Error("enough"))]);
  await assert.rejects(silent.client.credits({ timeout: 60_000, signal: stop.signal }), /enough/);
  assert.equal(silent.received.length, 1);
});

test("a call with a key waits for its lost attempt", async () => {
  const running = fails(409, "RESOURCE_CONFLICT", { id: "7", status: "PROCESSING", requestId: "7" });
  const { client, received } = await replying([
    breaks,
    running,
    says(200, `{"success":true,"result":{"text":"x"}}`, { "Idempotency-Replayed": "true", "X-Credits-Charged": "0" }),
  ]);
  const { result, usage } = await client.ask("chatassistant", hats, { idempotencyKey: "a" });
  assert.deepEqual([result.text, usage.replayed, usage.creditsCharged], ["x", true, 0]);
  const keys = received.map(({ headers }) => headers["idempotency-key"]);
  assert.deepEqual(keys, ["a", "a", "a"]);
});

test("a deletion whose response was lost has succeeded", async () => {
  const missing = fails(404, "RESOURCE_NOT_FOUND", { resource: "task", id: "1" });
  const lost = await replying([breaks, missing]);
  await lost.client.tasks.cancel("1");
  assert.equal(lost.received.length, 2);
  const never = await replying([missing]);
  await assert.rejects(never.client.tasks.cancel("1"), { code: "RESOURCE_NOT_FOUND" });
});

test("a task that a lost attempt has queued is returned", async () => {
  const duplicate = { field: "idempotencyKey", value: "a", taskId: "7" };
  const stored = (payload: object) =>
    says(200, JSON.stringify({ task: { id: "7", taskType: "CHATASSISTANT", priority: 1, payload }, credits: {} }));
  const refused = fails(409, "RESOURCE_ALREADY_EXISTS", duplicate);

  const lost = await replying([breaks, refused, stored({ country: "US", prompt: "hats" })]);
  const handle = await lost.client.tasks.submit("chatassistant", hats, { idempotencyKey: "a" });
  assert.equal(handle.id, "7");

  const other = await replying([breaks, refused, stored({ country: "US", prompt: "caps" })]);
  await assert.rejects(other.client.tasks.submit("chatassistant", hats, { idempotencyKey: "a" }), {
    code: "RESOURCE_ALREADY_EXISTS",
  });
  const error = { code: "RESOURCE_ALREADY_EXISTS", message: "no", details: duplicate };
  const batch = { summary: { total: 1, succeeded: 0, failed: 1 }, results: [{ index: 0, success: false, error }] };
  const again = await replying([breaks, says(200, JSON.stringify(batch)), stored(hats)]);
  const { summary, results } = await again.client.tasks.submitBatch([task("a")]);
  assert.deepEqual([summary, results[0]?.task?.id], [{ total: 1, succeeded: 1, failed: 0 }, "7"]);
});

test("a service that cannot be reached", async () => {
  const { client } = await replying([breaks], { retries: 0 });
  await assert.rejects(client.credits(), (error: unknown) => {
    assert.ok(error instanceof ConnectionFailed && !(error instanceof EarshotError));
    assert.match(error.message, /^no response from http:\/\/127\.0\.0\.1:\d+: /);
    return error.cause instanceof Error;
  });
});
