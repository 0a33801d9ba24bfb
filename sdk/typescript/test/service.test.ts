import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type Answer, Client, EarshotError, ndjson, TaskError, type TaskRecord, verifyWebhook } from "earshot";
import { replying, says, serve } from "./support.js";

/** A client of the service that the environment names. */
const client = new Client();

const tracker = `
brands:
  - {name: Ollaro, own: true}
  - {name: Kestrin}
prompts: [best running shoes, Which trail running shoes last longest?]
targets: [{provider: chatassistant, country: US}]
`;

test("every operation has its method", async () => {
  const response = await fetch(`${process.env.EARSHOT_URL}/openapi.json`);
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { "x-sdk"?: { method: string } }>>;
  };
  const names = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => operation["x-sdk"]?.method ?? []);
  assert.ok(names.length > 70, `only ${names.length} operations`);
  for (const name of names) {
    const method = name.split(".").reduce((of: unknown, part) => (of as Record<string, unknown>)[part], client);
    assert.equal(typeof method, "function", name);
  }
});

test("ask returns the result and the usage, and a repetition is replayed", async () => {
  const ask = (prompt: string) => client.ask("chatassistant", { prompt, country: "DE" }, { idempotencyKey: "ask-1" });
  const { result, usage } = await ask("best hats");
  assert.ok(result.text && usage.requestId && usage.concurrent > 0 && usage.creditsRemaining > 0);
  assert.deepEqual([usage.creditsCharged, usage.replayed], [5, false]);
  const again = await ask("best hats");
  assert.deepEqual([again.result, again.usage.creditsCharged, again.usage.replayed], [result, 0, true]);
  await assert.rejects(ask("best caps"), (error: unknown) => {
    assert.ok(error instanceof EarshotError && error.is("RESOURCE_ALREADY_EXISTS"));
    return error.details.requestId === usage.requestId && error.status === 409;
  });
  const found = await client.ask("websearch/news", { query: "hats", country: "FR" });
  assert.ok(found.result.newsResults.length > 0);
});

test("an error has its details and the next step", async () => {
  await assert.rejects(client.ask("chatassistant", { prompt: "", country: "Atlantis" }), (error: unknown) => {
    assert.ok(error instanceof EarshotError && error.is("VALIDATION_ERROR"));
    assert.deepEqual(error.details.map(({ field }) => field).sort(), ["country", "prompt"]);
    assert.ok(error.message && error.requestId && error.nextStep.includes("correct every field"));
    return error.status === 400 && error.name === "EarshotError";
  });
  await assert.rejects(new Client({ key: "ear_live_wrong" }).credits(), { code: "INVALID_API_KEY", status: 401 });
  await assert.rejects(client.trackers.get("no such tracker"), { code: "RESOURCE_NOT_FOUND" });
  await assert.rejects(client.trackers.get(".."), TypeError);
});

test("the key and the URL are checked", () => {
  assert.throws(() => new Client({ key: " " }), /EARSHOT_API_KEY/);
  assert.throws(() => new Client({ url: "localhost:8080" }), /"localhost:8080" must begin with http:.*EARSHOT_URL/);
  const { EARSHOT_API_KEY } = process.env;
  delete process.env.EARSHOT_API_KEY;
  assert.throws(() => new Client(), /EARSHOT_API_KEY/);
  process.env.EARSHOT_API_KEY = EARSHOT_API_KEY;
});

test("a task is submitted and waited for", async () => {
  const handle = await client.tasks.submit("websearch", { query: "hats", country: "US" }, { priority: 3 });
  assert.equal(handle.record.task.status, "QUEUED");
  const result = await handle.wait({ timeout: 300_000 });
  assert.ok(result.organicResults.length > 0);
  assert.deepEqual([handle.record.task.status, handle.record.task.priority], ["COMPLETED", 3]);
  assert.equal(await handle.wait(), result); // without another request

  const failing = await client.tasks.submit("chatassistant", { prompt: "hats [[status=503]]", country: "US" });
  await assert.rejects(failing.wait(), (error: unknown) => {
    assert.ok(error instanceof TaskError && error.is("EXTERNAL_SERVICE_ERROR"));
    return (
      error.taskId === failing.id && error.details.service === "chatassistant" && error.record?.task.status === "FAILED"
    );
  });
});

test("waiting ends with its timeout", async () => {
  const record = { success: true, task: { id: "7", finishedAt: null }, credits: {} };
  const { client: other } = await replying([says(200, JSON.stringify(record))]);
  const unfinished = await other.tasks.submit("chatassistant", { prompt: "hats", country: "US" });
  await assert.rejects(unfinished.wait({ timeout: 300 }), { name: "TimeoutError" });
});

test("many tasks are waited for", async () => {
  const ask = (prompt: string) => ({ taskType: "CHATASSISTANT", payload: { prompt, country: "US" } }) as const;
  const prompts = ["gloves [[status=503]]", "", ...Array.from({ length: 12 }, (_, i) => `gloves ${i}`)];
  const batch = await client.tasks.submitBatch(prompts.map(ask));
  assert.deepEqual(batch.summary, { total: 14, succeeded: 13, failed: 1 });
  assert.equal(batch.results[1]?.error?.code, "VALIDATION_ERROR");
  const ids = batch.results.flatMap(({ task }) => task?.id ?? []);
  const ended: TaskRecord[] = [];
  for await (const record of client.tasks.waitAll(ids)) ended.push(record);
  assert.deepEqual(ended.map(({ task }) => task.id).sort(), [...ids].sort());
  const failed = ended.filter(({ error }) => error);
  assert.deepEqual([failed.length, failed[0]?.task.id], [1, ids[0]]);

  // The tasks have ended before this waiting begins, and one does not exist.
  const missing = "01a0805a-0000-7000-8000-000000000000";
  const found: string[] = [];
  await assert.rejects(
    async () => {
      for await (const { task } of client.tasks.waitAll([missing, ids[1]!])) found.push(task.id);
    },
    (error: unknown) => error instanceof TaskError && error.taskId === missing && error.is("RESOURCE_NOT_FOUND"),
  );
  assert.deepEqual(found, [ids[1]]);

  const stored: number[] = [];
  for await (const { index } of ndjson<{ index: number }>(await client.batches.results(batch.batchId)))
    stored.push(index);
  assert.deepEqual(stored, [0, ...Array.from({ length: 12 }, (_, i) => i + 2)]);
});

test("a list fetches pages on demand", async () => {
  for (let n = 0; n < 3; n++) await client.ask("answerengine", { prompt: `page ${n}`, country: "US" });
  const prompts: unknown[] = [];
  for await (const { id } of client.requests.list({ provider: "answerengine", limit: 2 })) {
    prompts.push((await client.requests.get(id)).payload.prompt);
  }
  assert.deepEqual(prompts, ["page 2", "page 1", "page 0"]);
  const { client: other, received } = await replying([says(200, `{"tasks":[{},{}],"nextCursor":"a b&c"}`)]);
  for await (const _ of other.tasks.list({ limit: 2 })) if (received.length === 2) break;
  const lines = received.map(({ line }) => line);
  assert.deepEqual(lines, ["GET /v1/async/tasks?limit=2", "GET /v1/async/tasks?limit=2&cursor=a+b%26c"]);
});

test("a tracker is measured and exported", async () => {
  const applied = await client.trackers.apply("shoes", tracker, { dryRun: true });
  assert.deepEqual([applied.created, applied.dryRun], [true, true]);
  await client.trackers.apply("shoes", tracker);
  let { sweep } = await client.sweeps.start("shoes", { idempotencyKey: "shoes-1" });
  assert.equal((await client.sweeps.start("shoes", { idempotencyKey: "shoes-1" })).replayed, true);
  while (sweep.state === "running") {
    await setTimeout(50);
    sweep = await client.sweeps.get("shoes", sweep.id);
  }
  assert.equal(sweep.state, "closed");
  const report = await client.trackers.metrics("shoes", { metric: "visibility", by: "brand" });
  assert.deepEqual(report.rows.map(({ brand }) => brand).sort(), ["Kestrin", "Ollaro"]);

  const answers: string[] = [];
  for await (const { prompt } of client.answers.list("shoes")) answers.push(prompt);
  assert.equal(answers.length, 2);
  const csv = await client.trackers.export("shoes", { table: "sweeps", format: "csv" });
  assert.match(csv.headers.get("Content-Type")!, /text\/csv/);
  assert.equal((await csv.text()).trim().split("\n").length, 1 + 1);
  const lines: unknown[] = [];
  for await (const line of ndjson(await client.trackers.export("shoes"))) lines.push(line);
  assert.equal(lines.length, 2);
  assert.match(await (await client.trackers.report("shoes", { format: "md" })).text(), /Ollaro/);
  await client.trackers.delete("shoes");
  assert.ok(!(await client.trackers.list()).some(({ name }) => name === "shoes"));
});

test("live events arrive until the caller stops", async () => {
  let submitted: string | undefined;
  for await (const { event, data } of client.live()) {
    if (event === "status") {
      assert.ok(data.credits.remaining > 0);
      submitted ??= (await client.tasks.submit("genassistant", { prompt: "live", country: "US" })).id;
    } else if (data.ids.includes(submitted!)) break;
  }
  const stop = new AbortController();
  await assert.rejects(async () => {
    for await (const _ of client.live({ signal: stop.signal })) stop.abort(new Error("enough"));
  }, /enough/);
});

test("a webhook of the service is verified", async () => {
  const received = new EventTarget();
  const url = await serve(async (request, response) => {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part);
    const event = await verifyWebhook(request.headers, Buffer.concat(parts), process.env.EARSHOT_WEBHOOK_SECRET!);
    response.writeHead(204).end();
    received.dispatchEvent(Object.assign(new Event("webhook"), { event }));
  });
  const arrived = once(received, "webhook");
  const { id } = await client.tasks.submit("chatassistant", { prompt: "hooks", country: "US" }, { webhook: { url } });
  const [{ event }] = await arrived;
  assert.equal(event.task.id, id);
  assert.ok((event.result as Answer).text);
});
