import assert from "node:assert/strict";
import test from "node:test";
import { follow, refName, type OpenAPI, type Schema } from "../src/schema";

const api = {
  info: { title: "", version: "" },
  paths: {},
  components: {
    schemas: {
      Base: {
        type: "object",
        required: ["a"],
        properties: { a: { type: "string", description: "of the base" }, b: { type: "integer" } },
      },
      Narrow: { $ref: "#/components/schemas/Base", required: ["b"], properties: { a: { maxLength: 3 } } },
      Loop: { $ref: "#/components/schemas/Loop" },
      "with/slash": { type: "boolean" },
    },
  },
} satisfies OpenAPI;

test("a reference is followed, and what stands beside it adds to it", () => {
  const { type, required, properties } = follow<Schema>(api, { $ref: "#/components/schemas/Narrow" });
  assert.equal(type, "object");
  assert.deepEqual(required, ["a", "b"]);
  assert.deepEqual(properties?.a, { type: "string", description: "of the base", maxLength: 3 });
});

test("allOf is merged, except for conditions", () => {
  const when = { if: { required: ["a"] }, then: { required: ["b"] } };
  const merged = follow<Schema>(api, { allOf: [{ $ref: "#/components/schemas/Base" }, when], description: "both" });
  assert.equal(merged.description, "both");
  assert.deepEqual(merged.allOf, [when]);
  assert.equal(merged.properties?.b.type, "integer");
});

test("what leads nowhere or in a circle is an empty schema", () => {
  assert.deepEqual(follow<Schema>(api, { $ref: "#/components/schemas/Nobody" }), {});
  assert.deepEqual(follow<Schema>(api, { $ref: "elsewhere.json" }), {});
  assert.deepEqual(follow<Schema>(api, { $ref: "#/components/schemas/Loop" }), {});
  assert.deepEqual(follow(api, undefined), {});
});

test("names in references", () => {
  assert.equal(follow<Schema>(api, { $ref: "#/components/schemas/with~1slash" }).type, "boolean");
  assert.equal(refName({ allOf: [{ type: "object" }, { $ref: "#/components/schemas/Base" }] }), "Base");
  assert.equal(refName({ type: "string" }), "");
});
