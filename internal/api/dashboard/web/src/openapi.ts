// The description that the server publishes of itself: fetched once, shared by all.
import { call, type Payload } from "./api";
import type { Enums } from "./api.gen";
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

/** The words that a schema lists, in its order. */
export async function choices<Name extends keyof Enums>(schema: Name): Promise<Enums[Name][]> {
  return ((await openAPI()).components.schemas[schema]?.enum ?? []) as Enums[Name][];
}

/** The operations that ask a provider, in the order of the document. */
export async function providers(): Promise<Provider[]> {
  const api = await openAPI();
  return Object.values(api.paths).flatMap(({ post }) => {
    const {
      "x-provider": name,
      "x-task-type": taskType,
      "x-text-field": textField,
      summary = "",
      description = "",
      requestBody,
    } = post ?? {};
    const content = requestBody?.content?.["application/json"];
    if (!name || !taskType || !textField || !content) return [];
    const [example] = Object.values(content.examples ?? {});
    return [
      {
        name,
        taskType,
        textField,
        summary,
        description,
        schema: follow(api, content.schema),
        example: (example?.value ?? {}) as Payload,
      },
    ];
  });
}
