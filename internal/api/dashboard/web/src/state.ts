// The one store of state. Pages keep what is only theirs; what several need is here.
import { signal, computed, effect } from "@preact/signals";
import { call } from "./api";
import type { LiveStatus, SessionRequest } from "./api.gen";
import { choices } from "./openapi";
import { endSession, session, signedOutBecause } from "./session";

/** The tabs of a browser share its cookie, so they tell each other when it changes. */
const tabs = new BroadcastChannel("earshot.session");
tabs.onmessage = () => void findSession().catch(() => undefined);

/** Asks the server who is signed in. */
export async function findSession() {
  session.value = (await call("GET /v1/session")).session;
}

/** Signs in with a key or a token. */
export async function signIn(body: SessionRequest) {
  session.value = (await call("POST /v1/session", { body })).session;
  signedOutBecause.value = "";
  tabs.postMessage("");
}

export async function signOut() {
  await call("DELETE /v1/session");
  endSession("");
  tabs.postMessage("");
}

/** light, dark, or "" for the system's choice. */
export const theme = signal(localStorage.getItem("earshot.theme") ?? "");
effect(() => {
  localStorage.setItem("earshot.theme", theme.value);
  document.documentElement.dataset.theme = theme.value;
});

/** Pages that were renamed: links to them may be kept somewhere. */
const renamed: Record<string, string> = { tasks: "history" };

/**
 * The page that is shown, from the part of the address after #, or docs by its path; query is what stands behind
 * a question mark.
 */
function pageOf(): { page: string; rest: string[]; query: Record<string, string> } {
  if (/\/docs$/.test(location.pathname))
    return { page: "docs", rest: location.hash.slice(1).split("/").filter(Boolean), query: {} };
  const [, path, query] = location.hash.match(/^#?\/?([^?]*)\??(.*)$/s)!;
  const [page = "playground", ...rest] = path.split("/").filter(Boolean).map(decoded);
  return {
    page: Object.hasOwn(renamed, page) ? renamed[page] : page,
    rest,
    query: Object.fromEntries(new URLSearchParams(query)),
  };
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
export const followAddress = () => {
  route.value = pageOf();
};
addEventListener("hashchange", followAddress);

/** The address of a page; what is empty is left out of its query. */
export function addressOf(path: string[], query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `#/${path.map(encodeURIComponent).join("/")}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
}

/** Changes what the address asks of the page that is shown. It is no new step of the browser's history. */
export function changeQuery(changes: Record<string, string | undefined>) {
  const { page, rest, query } = route.value;
  history.replaceState(null, "", addressOf([page, ...rest], { ...query, ...changes }));
  followAddress();
}

/** The codes of the countries that a provider can be asked from; all countries where it has no list of its own. */
const countryLists = new Map<string, Promise<string[]>>();
export function countries(provider = ""): Promise<string[]> {
  let list = countryLists.get(provider);
  if (!list) {
    list = readCountries(provider);
    list.catch(() => countryLists.delete(provider));
    countryLists.set(provider, list);
  }
  return list;
}

async function readCountries(provider: string): Promise<string[]> {
  const model = (await choices("CountryModel")).find((name) => name === provider);
  return call("GET /v1/countries", { query: { model } });
}

/** A country's name as the user's browser writes it. */
const names = new Intl.DisplayNames(undefined, { type: "region" });
export const countryName = (code: string) => {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
};

/** What the live stream tells: balance, slots and queue; tasks that changed are counted. */
export const status = signal<LiveStatus | undefined>(undefined);
export const taskChanges = signal(0);
export const connected = signal(false);
export const balance = computed(() => status.value?.credits.remaining);
