import assert from "node:assert/strict";
import test from "node:test";
import { pathOf } from "../src/docs/path";

const query = { name: "limit", in: "query", required: false, description: "", schema: {} };

test("show empty path parameters in capitals", () => {
  assert.equal(
    pathOf({ path: "/v1/trackers/{name}/sweeps/{id}", parameters: [query] }, {}),
    "v1/trackers/NAME/sweeps/ID",
  );
  assert.equal(pathOf({ path: "/v1/async/task/{taskId}", parameters: [] }, { taskId: "" }), "v1/async/task/TASK_ID");
});

test("encode parameters", () => {
  assert.equal(
    pathOf({ path: "/v1/trackers/{name}", parameters: [query] }, { name: "a/b", limit: "5" }),
    "v1/trackers/a%2Fb?limit=5",
  );
});
