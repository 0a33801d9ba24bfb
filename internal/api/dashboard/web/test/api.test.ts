import assert from "node:assert/strict";
import test from "node:test";
import "./browser";
import { ApiError, call } from "../src/api";
import { session, switchedElsewhere } from "../src/session";

test("send the organization of the page, and notice that another tab has switched", async () => {
  const sent: [string, unknown][] = [];
  const reply = (status: number, body: unknown) => {
    globalThis.fetch = async (_, { method, headers }: RequestInit = {}) => {
      sent.push([method!, (headers as Record<string, string>)["Earshot-Organization"]]);
      return new Response(JSON.stringify(body), { status, headers: { "Retry-After": "7" } });
    };
  };
  const role = "admin" as const;
  session.value = {
    ...{ organization: "A", organizationId: "a", keyId: "u_1", keyName: "ada@example.com", scopes: [] },
    organizations: ["a", "b"].map((id) => ({ id, name: id, role, current: id === "a" })),
  };
  reply(200, {});
  await call("GET /v1/session");
  await call("DELETE /v1/async/queue");
  assert.deepEqual(sent, [
    ["GET", undefined],
    ["DELETE", "a"],
  ]);
  const conflict = (id: string) => ({ error: { code: "RESOURCE_CONFLICT", message: "conflict", details: { id } } });
  reply(409, conflict("shoes"));
  const problem = await call("DELETE /v1/async/queue").catch((thrown) => thrown);
  assert.equal(problem instanceof ApiError && problem.retryAfter, 7);
  assert.equal(switchedElsewhere.value, false);
  reply(409, conflict("b"));
  await call("DELETE /v1/async/queue").catch(() => undefined);
  assert.equal(switchedElsewhere.value, true);
  session.value = undefined;
});
