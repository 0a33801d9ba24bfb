// The one store of state. Pages keep what is only theirs; what several need is here.
import { signal, computed, effect } from "@preact/signals";
import { get } from "./api";

/** The key that requests carry. It lives as long as the browser's tab. */
export const key = signal(sessionStorage.getItem("earshot.key") ?? "");
effect(() => {
  if (key.value) sessionStorage.setItem("earshot.key", key.value);
  else sessionStorage.removeItem("earshot.key");
});

/** Why the user was signed out, "" when they did it themselves. */
export const signedOutBecause = signal("");

export function signOut(because = "") {
  signedOutBecause.value = because;
  key.value = "";
}

/** light, dark, or "" for the system's choice. */
export const theme = signal(localStorage.getItem("earshot.theme") ?? "");
effect(() => {
  localStorage.setItem("earshot.theme", theme.value);
  document.documentElement.dataset.theme = theme.value;
});

/** The page that is shown, from the part of the address after #, or docs by its path. */
function pageOf(): { page: string; rest: string[] } {
  if (/\/docs$/.test(location.pathname)) return { page: "docs", rest: location.hash.slice(1).split("/").filter(Boolean) };
  const [page = "playground", ...rest] = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decoded);
  return { page, rest };
}
/** A part of the address; one that nobody could have written is taken as it is. */
function decoded(part: string) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
export const route = signal(pageOf());
export const followAddress = () => { route.value = pageOf(); };
addEventListener("hashchange", followAddress);

/** What the server publishes of itself: fetched once, shared by all. */
export interface OpenAPI { info: any; paths: Record<string, Record<string, any>>; components: { schemas: Record<string, any> }; tags?: any[] }
let document_: Promise<OpenAPI> | undefined;
export function openAPI(): Promise<OpenAPI> {
  document_ ??= get<OpenAPI>("openapi.json").catch((problem) => {
    document_ = undefined;
    throw problem;
  });
  return document_;
}

/** A provider as the API's description tells it. */
export interface Provider { name: string; taskType: string; summary: string; description: string; schema: any; example: any }

/** The providers: every operation below /v1/monitor/ that takes a country. */
export async function providers(): Promise<Provider[]> {
  const api = await openAPI();
  const found: Provider[] = [];
  for (const [path, item] of Object.entries(api.paths)) {
    const name = path.match(/^\/v1\/monitor\/(.+)$/)?.[1];
    const content = item.post?.requestBody?.content?.["application/json"];
    if (!name || !content) continue;
    const schema = resolve(api, content.schema);
    if (!schema.properties?.country) continue;
    const example: any = Object.values(content.examples ?? {})[0];
    found.push({
      name, schema, taskType: name.toUpperCase().replace("/", "_"), summary: item.post.summary, description: item.post.description,
      example: example?.value ?? {},
    });
  }
  return found;
}

/** A schema with its reference followed. */
export function resolve(api: OpenAPI, schema: any): any {
  const name = schema?.$ref?.match(/^#\/components\/schemas\/(.+)$/)?.[1];
  return name ? { ...resolve(api, api.components.schemas[name]), ...without$ref(schema) } : (schema ?? {});
}

function without$ref({ $ref, ...rest }: any) {
  return rest;
}

/** What a value may be, from the schema of that name. */
export const choices = async (schema: string): Promise<string[]> => (await openAPI()).components.schemas[schema]?.enum ?? [];

/** Where a provider can be asked from. */
const countryLists = new Map<string, Promise<string[]>>();
export function countries(model = ""): Promise<string[]> {
  if (!countryLists.has(model)) {
    const list = get<string[]>("v1/countries" + (model ? `?model=${encodeURIComponent(model)}` : "")).catch(() => get<string[]>("v1/countries"));
    list.catch(() => countryLists.delete(model));
    countryLists.set(model, list);
  }
  return countryLists.get(model)!;
}

/** A country's or language's name as the user's browser writes it. */
const names = new Intl.DisplayNames(undefined, { type: "region" });
export const countryName = (code: string) => {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
};

/** What the live stream tells: balance, slots and queue; tasks that changed are counted. */
export interface Status { credits: any; queue: any }
export const status = signal<Status | undefined>(undefined);
export const taskChanges = signal(0);
export const connected = signal(false);
export const balance = computed(() => status.value?.credits?.remaining as number | undefined);
