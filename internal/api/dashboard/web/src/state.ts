// State that several pages share.
import { signal, computed, effect } from "@preact/signals";
import { call } from "./api";
import type { AcceptRequest, LiveStatus, Session, SessionRequest } from "earshot";
import { choices } from "./openapi";
import { endSession, identity, key, session, signedOutBecause } from "./session";

/** Browser tabs share the cookie. They tell each other who is signed in, so that all show the same organization. */
const tabs = new BroadcastChannel("earshot.session");
tabs.onmessage = ({ data }) => {
  if (data !== key.value) void findSession().catch(() => undefined);
};
effect(() => {
  const current = key.value;
  if (session.peek() !== undefined) tabs.postMessage(current);
});

/** Asks the server for the session. */
export async function findSession() {
  await enter((await call("GET /v1/session")).session);
}

/**
 * Starts the session. Pages of another user or organization are loaded anew. Without a page in the address, an
 * organization that has asked nothing yet gets started.
 */
async function enter(next: Session | null) {
  if (next && route.value.page === "signin") leave("");
  if (next && session.value && identity(next) !== key.value) return location.reload();
  if (next && !location.hash && route.value.page !== "docs" && (await isUnused().catch(() => false))) leave("#/start");
  if (next) signedOutBecause.value = "";
  session.value = next;
}

/** Reports whether an organization has no trackers and has not been charged in this cycle; requests are kept a day. */
async function isUnused() {
  return !(await call("GET /v1/credits")).cycleUsed && !(await call("GET /v1/trackers")).trackers.length;
}

/** Signs in with a password, a key or a token. */
export async function signIn(body: SessionRequest) {
  await enter((await call("POST /v1/session", { body })).session);
}

/** Accepts an invitation, which signs in. */
export async function join(body: AcceptRequest) {
  const { session: next } = await call("POST /v1/invitation/accept", { body });
  leave("");
  await enter(next);
}

/** Switches to another organization of the user. */
export async function switchTo(organization: string) {
  const { session: next } = await call("PATCH /v1/session", { body: { organization } });
  leave(`#/${route.value.page}`);
  await enter(next);
}

/** Signs out, also from the identity provider if it offers that. */
export async function signOut() {
  const { signOutUrl } = await call("DELETE /v1/session");
  endSession("");
  if (signOutUrl) location.assign(signOutUrl);
}

/** The color theme: light, dark, or "" for the system setting. */
export const theme = signal(localStorage.getItem("earshot.theme") ?? "");
effect(() => {
  localStorage.setItem("earshot.theme", theme.value);
  document.documentElement.dataset.theme = theme.value;
});

/** Old names of pages, so that old links still work. */
const renamed: Record<string, string> = { tasks: "history", upstreams: "system" };

/** Parses the address: the page and the rest of its path after #, and the query after a question mark. */
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
/** Decodes a part of the address; an invalid part stays unchanged. */
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

/** Replaces the address of the page, without a step in the browser's history. */
export function leave(hash: string) {
  history.replaceState(null, "", location.pathname + hash);
  followAddress();
}
addEventListener("hashchange", followAddress);

/** Returns the address of a page. Empty values are left out of the query. */
export function addressOf(path: string[], query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `#/${path.map(encodeURIComponent).join("/")}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
}

/** Changes the query of the address without adding a step to the browser's history. */
export function changeQuery(changes: Record<string, string | undefined>) {
  const { page, rest, query } = route.value;
  leave(addressOf([page, ...rest], { ...query, ...changes }));
}

/** Returns the country codes of a provider; all countries if the provider has no list of its own. */
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

/** Returns the name of a country in English, the language of the dashboard. */
const names = new Intl.DisplayNames("en", { type: "region" });
export const countryName = (code: string) => {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
};

/** Returns countries as choices, sorted by their names. */
export const countryOptions = (codes: string[]) =>
  codes.map((code) => [code, countryName(code)] as const).sort(([, a], [, b]) => a.localeCompare(b));

/** The data of the live stream: balance, slots and queue. taskChanges counts its messages about changed tasks. */
export const status = signal<LiveStatus | undefined>(undefined);
export const taskChanges = signal(0);
export const connected = signal(false);
export const balance = computed(() => status.value?.credits.remaining);
