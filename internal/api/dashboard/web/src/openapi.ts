// The server's OpenAPI document, which is fetched once.
import { call, type Payload } from "./api";
import type { Enums } from "earshot";
import { follow, type OpenAPI, type Provider } from "./schema";

export * from "./schema";

let loading: Promise<OpenAPI> | undefined;
export function openAPI(): Promise<OpenAPI> {
  loading ??= call("GET /openapi.json")
    .then((document) => document as unknown as OpenAPI)
    .catch((problem) => {
      loading = undefined;
      throw problem;
    });
  return loading;
}

/** Returns the values of an enum in the OpenAPI document. */
export async function choices<Name extends keyof Enums>(schema: Name): Promise<Enums[Name][]> {
  return ((await openAPI()).components.schemas[schema]?.enum ?? []) as Enums[Name][];
}

/** Returns the providers, in the order of the document. */
export async function providers(): Promise<Provider[]> {
  const api = await openAPI();
  return Object.values(api.paths).flatMap(({ post }) => {
    const { "x-provider": name, "x-task-type": taskType, "x-text-field": textField, requestBody } = post ?? {};
    const content = requestBody?.content?.["application/json"];
    if (!name || !taskType || !textField || !content) return [];
    const [example] = Object.values(content.examples ?? {});
    const { summary = "", description = "" } = post!;
    const schema = follow(api, content.schema);
    return [{ name, taskType, textField, summary, description, schema, example: (example?.value ?? {}) as Payload }];
  });
}
