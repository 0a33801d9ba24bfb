// The last call of each provider's form. It is kept when the user visits another page.
import { signal } from "@preact/signals";
import { ask, type Payload, type ProviderResponse } from "../api";
import type { Provider } from "earshot";
import { key } from "../session";

export interface Run {
  running?: boolean;
  startedAt?: number;
  cancelled?: boolean;
  error?: unknown;
  body?: Payload;
  response?: ProviderResponse;
  headers?: Headers;
}

const runs = signal<ReadonlyMap<Provider, Run>>(new Map());
const stops = new Map<Provider, AbortController>();

// Another key may belong to another account, which must not see these answers.
key.subscribe(() => {
  for (const stop of stops.values()) stop.abort();
  runs.value = new Map();
});

export const runOf = (provider: Provider): Run => runs.value.get(provider) ?? {};

const set = (provider: Provider, run: Run) => {
  runs.value = new Map(runs.value).set(provider, run);
};

export async function start(provider: Provider, body: Payload) {
  if (runOf(provider).running) return;
  const stop = new AbortController();
  stops.set(provider, stop);
  set(provider, { running: true, startedAt: performance.now() });
  const ended = await ask(provider, body, stop.signal).then(
    (answer): Run => ({ body, ...answer }),
    (error): Run => (stop.signal.aborted ? { cancelled: true } : { error }),
  );
  // Signing out removes the run.
  if (runOf(provider).running) set(provider, ended);
}

export const cancel = (provider: Provider) => stops.get(provider)?.abort();

/** Removes the error when a field changes. */
export function clearError(provider: Provider) {
  if (runOf(provider).error) set(provider, {});
}
