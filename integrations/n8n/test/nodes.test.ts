import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { after, test } from "node:test";
import type { IConnections, INode, INodeExecutionData, INodeParameters, IWebhookResponseData } from "n8n-workflow";
import { NodeApiError, NodeHelpers, NodeOperationError } from "n8n-workflow";
import { providers } from "../nodes/Earshot/api.gen";
import { credentials, type Execution, execute, getTrackers, listen, nodeTypes, testCredential } from "./context";

// biome-ignore lint/suspicious/noExplicitAny: the types of responses are tested where they are made
type Json = any;

/** Runs the node and returns the JSON of its output. */
async function run(parameters: INodeParameters, options?: Execution): Promise<Json[]> {
  return (await execute(parameters, options)).map(({ json }) => json);
}

/** Sends a request to the service, as its user. */
async function api(method: string, path: string, body?: unknown): Promise<Json> {
  const headers = { Authorization: `Bearer ${credentials.apiKey}`, "Content-Type": "application/json" };
  const response = await fetch(process.env.EARSHOT_URL + path, { method, headers, body: JSON.stringify(body) });
  assert.equal(response.status, 200, await response.clone().text());
  return await response.json();
}

const root = join(__dirname, "../..");
const prompt = "Which trail running shoes last longest?";
const shoes = { provider: "chatassistant", prompt, country: "DE" };
const submit = { resource: "task", operation: "submit", ...shoes };

test("asks every provider, given by an expression", async () => {
  const items = providers.map(({ name }) => ({ name }));
  const options = { model: '={{ $json.name === "model" ? "lab" : undefined }}' };
  const output = await execute({ provider: "={{ $json.name }}", prompt, options }, { items });
  assert.equal(output.length, providers.length);
  for (const [item, { json, pairedItem }] of output.entries()) {
    assert.deepEqual(pairedItem, { item });
    const { result, usage } = json as Json;
    assert.equal(result.surface, "lab");
    assert.match(usage.requestId, /^[0-9a-f-]{36}$/);
    assert.ok(usage.creditsCharged > 0 && usage.creditsRemaining > 0 && usage.latencyMs >= 0);
  }
});

test("sends options and parts to include", async () => {
  const include = ["searchoverview", "searchoverview.markdown", "html"];
  const [{ result }] = await run({
    provider: "websearch",
    prompt,
    country: "DE",
    include,
    options: { pages: 2, hl: "de" },
  });
  assert.ok(result.searchoverview.markdown);
  assert.equal(result.html.length, 2);
  const [plain] = await run({ provider: "websearch", prompt, include: ["searchoverview"] });
  assert.ok(plain.result.searchoverview && !plain.result.searchoverview.markdown);
});

test("charges once when the node runs again", async () => {
  const first = await run(shoes, { executionId: "7" });
  const [again] = await run(shoes, { executionId: "7" });
  assert.equal(again.usage.replayed, true);
  assert.deepEqual(again.result, first[0].result);
  for (const other of [{ executionId: "8" }, { executionId: "7", runIndex: 1 }]) {
    const [{ usage }] = await run(shoes, other);
    assert.equal(usage.replayed, false, JSON.stringify(other));
  }
  const [{ task }] = await run(submit, { executionId: "7" });
  const [{ task: same }, { task: second }] = await run(submit, { executionId: "7", items: [{}, {}] });
  assert.equal(same.id, task.id);
  assert.notEqual(second.id, task.id);
  const keyed = { ...submit, idempotencyKey: "shoes-1" };
  const [own] = await run(keyed, { executionId: "9" });
  const [repeated] = await run(keyed, { executionId: "10" });
  assert.equal(own.task.idempotencyKey, "shoes-1");
  assert.equal(repeated.task.id, own.task.id);
});

test("reports errors with the advice for their code", async () => {
  await assert.rejects(run({ ...shoes, country: "Atlantis", options: { state: "NY" } }), (error: NodeApiError) => {
    assert.ok(error instanceof NodeApiError);
    assert.equal(error.httpCode, "400");
    assert.match(error.message, /^country: must be .* \(and 1 more\)$/);
    assert.match(error.description!, /^VALIDATION_ERROR: correct every field .* Details: .*"field":"state"/);
    return true;
  });
  await assert.rejects(run(shoes, { secrets: { apiKey: "ear_live_wrong" } }), {
    httpCode: "401",
    description: /^INVALID_API_KEY: the key is mistyped/,
  });
  await assert.rejects(run({ ...shoes, provider: '={{ "chatgpt" }}' }), (error: NodeOperationError) => {
    assert.ok(error instanceof NodeOperationError);
    assert.equal(error.message, 'There is no provider "chatgpt"');
    return true;
  });
  const items = [{ country: "Atlantis" }, { country: "DE" }];
  const output = await execute({ ...shoes, country: "={{ $json.country }}" }, { items, continueOnFail: true });
  assert.match(String(output[0].json.error), /country/);
  assert.ok(output[1].json.result);
  assert.deepEqual(
    output.map(({ pairedItem }) => pairedItem),
    [{ item: 0 }, { item: 1 }],
  );
});

test("sends a refused request again, and reports responses of other programs", async (t) => {
  const refusal = { success: false, error: { code: "RATE_LIMIT_EXCEEDED", message: "Too many requests." } };
  const responses = [
    [429, JSON.stringify(refusal)],
    [502, "<html>"],
    [200, "<html>"],
  ] as const;
  let requests = 0;
  const proxy = createServer((_, response) => {
    const [status, body] = responses[requests++];
    response.writeHead(status, { "Retry-After": "0.001" }).end(body);
  });
  t.after(() => proxy.close());
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await assert.rejects(run(shoes, { secrets: { baseUrl } }), { message: /HTTP status 502/, httpCode: "502" });
  assert.equal(requests, 2);
  await assert.rejects(run(shoes, { secrets: { baseUrl } }), { message: /^Not an Earshot response/, httpCode: "200" });
});

/** The events that a trigger received. A test takes each one out. */
class Events {
  private readonly waiting: Json[] = [];
  private wake = () => {};

  add = ({ workflowData, noWebhookResponse }: IWebhookResponseData) => {
    const event = workflowData ? (workflowData as INodeExecutionData[][])[0][0].json : {};
    this.waiting.push({ ...event, refused: noWebhookResponse ?? false });
    this.wake();
  };

  /** Waits for an event for which all these fields have these values. */
  async take(want: Record<string, unknown>): Promise<Json> {
    for (;;) {
      const found = this.waiting.findIndex((event) =>
        Object.entries(want).every(([name, value]) => event[name] === value),
      );
      if (found >= 0) return this.waiting.splice(found, 1)[0];
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

const patient = { timeout: 300_000 }; // if an event never arrives
const events = new Events();
const trigger = listen(
  { events: ["task.finished", "sweep.completed", "alert.raised", "report.made", "test"] },
  events.add,
);
after(async () => (await trigger).close());

test("submits a task, waits for it, and receives its webhook", patient, async () => {
  const { url } = await trigger;
  const [{ task, success }] = await run({ ...submit, taskSettings: { priority: 5, webhookUrl: url } });
  assert.equal(success, undefined);
  assert.equal(task.priority, 5);
  const wait = { resource: "task", operation: "wait", taskId: "={{ $json.task.id }}" };
  const [ended] = await run(wait, { items: [{ task }] });
  assert.equal(ended.task.status, "COMPLETED");
  const event = await events.take({ event: "task.finished", webhookId: task.id });
  assert.deepEqual(event.result, ended.result);
  const [{ task: read }] = await run({ ...wait, operation: "get" }, { items: [{ task }] });
  assert.equal(read.id, task.id);
  const items = await run({ ...submit, prompt: "[[block]]" }); // the lab refuses to answer
  await assert.rejects(run(wait, { items }), { description: /^EXTERNAL_SERVICE_ERROR: .*"reason":"blocked"/ });
  await assert.rejects(run({ ...wait, taskId: '={{ "" }}' }), { message: 'Parameter "taskId" is empty' });
  await assert.rejects(run({ ...wait, taskId: "no-task" }), { httpCode: "404" });
});

test("refuses webhooks without a valid signature", patient, async () => {
  const { url } = await trigger;
  const secret = Buffer.from(credentials.webhookSecret.replace("whsec_", ""), "base64");
  const body = '{"type": "sweep.completed", "tracker":"é"}';
  const post = async ({ age = 0, to = url, key = secret, signed = body, added = "" }) => {
    const timestamp = String(Math.floor(Date.now() / 1000) - age);
    const digest = createHmac("sha256", key).update(`an-id.${timestamp}.${signed}`).digest("base64");
    const headers = {
      "webhook-id": "an-id",
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,bad v1,${digest}`,
    };
    return (await fetch(to, { method: "POST", body: signed + added, headers })).status;
  };
  assert.equal(await post({}), 200);
  assert.equal((await events.take({ webhookId: "an-id" })).tracker, "é");
  assert.equal(await post({ signed: '{"type": "sweep.skipped"}' }), 200); // which the trigger does not select
  assert.equal((await events.take({ refused: false })).event, undefined);

  const open = await listen({}, events.add, { secrets: { webhookSecret: "" } });
  const none = Buffer.alloc(0);
  const wrong = [{ age: 400 }, { age: -400 }, { added: " " }, { key: none }, { key: none, to: open.url }];
  for (const change of wrong) {
    assert.equal(await post(change), 401, JSON.stringify(change));
    await events.take({ refused: true });
  }
  open.close();
  assert.equal((await fetch(url, { method: "POST", body })).status, 401);
  await events.take({ refused: true });
});

test("runs a tracker", patient, async () => {
  const { url } = await trigger;
  await api("PUT", "/v1/channels/workflow", { kind: "webhook", url });
  const definition = [
    "name: shoes",
    "brands: [{name: Ollaro, own: true}, {name: Kestrin}]",
    `prompts: ["${prompt}"]`,
    "targets: [{provider: chatassistant, country: US}]",
    "ceiling: {creditsPerMonth: 5}", // one sweep reaches it, which raises an alert
    `webhook: {url: "${url}"}`,
    "alerts: {channels: [workflow]}",
  ].join("\n");
  const apply = { resource: "tracker", operation: "apply", name: "shoes", definition };
  const [preview] = await run({ ...apply, dryRun: true });
  assert.deepEqual([preview.dryRun, preview.created], [true, true]);
  const [{ created, tracker }] = await run(apply);
  assert.equal(created, true);
  const [unchanged] = await run({ ...apply, definition: "={{ $json }}" }, { items: [tracker.definition] });
  assert.equal(unchanged.changed, false);
  await assert.rejects(run({ ...apply, definition: "brands: 3" }), { httpCode: "400" });
  assert.deepEqual(await getTrackers(), [{ name: tracker.title, value: "shoes" }]);
  assert.equal((await run({ resource: "tracker", operation: "getAll" }))[0].name, "shoes");

  const of = { resource: "tracker", tracker: "shoes" };
  const [{ sweep }] = await run({ ...of, operation: "runSweep" });
  const [repeated] = await run({ ...of, operation: "runSweep" });
  assert.deepEqual([repeated.sweep.id, repeated.replayed], [sweep.id, true]);
  const completed = await events.take({ event: "sweep.completed" });
  assert.deepEqual([completed.webhookId, completed.sweep.state], [sweep.id, "closed"]);

  const metrics = await run({ ...of, operation: "metrics", options: { metric: "visibility", having: "brand:Ollaro" } });
  assert.deepEqual(
    metrics.map(({ metric, value }) => [metric, value]),
    [["visibility@m1", 1]],
  );
  const rows = await run({ ...of, operation: "export", options: { table: "mentions" } });
  assert.deepEqual(new Set(rows.map(({ brand }) => brand)), new Set(["Ollaro", "Kestrin"]));
  assert.equal((await run({ ...of, operation: "export", options: { sweep: sweep.id } })).length, 1);
  await api("POST", "/v1/trackers/story/demo", { days: 4, prompts: 2 });
  const compare = { resource: "tracker", operation: "compare", tracker: "story", options: { having: "brand:Ollaro" } };
  const compared = await run(compare);
  assert.deepEqual(
    new Set(compared.map(({ brand, metric }) => brand + " " + metric)),
    new Set(["Ollaro visibility@m1"]),
  );

  const { alert: raised } = await events.take({ event: "alert.raised", tracker: "shoes" });
  const alerts = { resource: "alert", tracker: "shoes" };
  const [alert] = await run({ ...alerts, operation: "getAll", options: { open: true, kind: "ceiling" } });
  assert.equal(alert.id, raised.id);
  const acknowledge = { ...alerts, operation: "acknowledge", alertId: "={{ $json.id }}" };
  assert.equal((await run(acknowledge, { items: [alert] }))[0].open, false);
  assert.deepEqual(await run({ ...alerts, operation: "getAll", options: { open: true } }), []);

  await api("POST", "/v1/trackers/shoes/report", { channel: "workflow" });
  assert.equal((await events.take({ event: "report.made" })).tracker, "shoes");
  await api("POST", "/v1/channels/workflow/test");
  await events.take({ event: "test", type: "alert.test" });
  await api("POST", "/v1/webhooks/test", { url });
  await events.take({ event: "test", test: true });
});

test("the credential's test request succeeds", async () => {
  assert.equal((await testCredential()).status, 200);
  assert.equal((await testCredential({ apiKey: "ear_live_wrong" })).status, 401);
});

test("the workflow in the README has known nodes and parameters", () => {
  const [, text] = /```json\n(.*?)\n```/s.exec(readFileSync(join(root, "README.md"), "utf8"))!;
  const { nodes, connections } = JSON.parse(text) as { nodes: INode[]; connections: IConnections };
  const ours = nodes.filter(({ type }) => type.startsWith("n8n-nodes-earshot."));
  assert.equal(ours.length, 2);
  for (const node of ours) {
    const { description } = nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
    const known = NodeHelpers.getNodeParameters(
      description.properties,
      node.parameters,
      true,
      false,
      node,
      description,
    );
    for (const [name, value] of Object.entries(node.parameters)) assert.deepEqual(known?.[name], value, name);
    assert.equal(NodeHelpers.getNodeParametersIssues(description.properties, node, description), null);
    assert.deepEqual(Object.keys(node.credentials!), [description.credentials![0].name]);
  }
  const names = nodes.map(({ name }) => name);
  for (const [from, { main }] of Object.entries(connections)) {
    for (const { node } of main.flatMap((to) => to ?? []))
      assert.ok(names.includes(from) && names.includes(node), node);
  }
});

test("package.json lists the files that n8n loads", () => {
  const { n8n } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const files: string[] = [...n8n.nodes, ...n8n.credentials];
  assert.equal(files.length, 3);
  for (const file of files) {
    const loaded = new (require(join(root, file))[basename(file).split(".")[0]])();
    const icon: string = (loaded.description ?? loaded).icon;
    assert.ok(existsSync(join(root, dirname(file), icon.replace("file:", ""))), icon);
    if (loaded.description) assert.ok(existsSync(join(root, file.replace(".js", ".json"))), file);
  }
});
