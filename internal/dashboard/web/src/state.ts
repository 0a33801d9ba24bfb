// The one store of state. Pages keep what is only theirs; what several need is here.
import { signal, computed, effect } from "@preact/signals";
import { call } from "./api";
import type { LiveStatus } from "./api.gen";
import { choices } from "./openapi";

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
