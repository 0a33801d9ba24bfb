// Hooks that read the numbers and sweeps of a tracker. They wait if the rate limit is exceeded.
import { call, retryRateLimited } from "../api";
import type { MetricReport, Operations, Sweep } from "../api.gen";
import { useLoad } from "../ui";
import type { Period } from "./address";
import type { PanelBrand } from "./pieces";

type MetricQuery = NonNullable<Operations["GET /v1/trackers/{name}/metrics"]["query"]>;
type CompareQuery = NonNullable<Operations["GET /v1/trackers/{name}/compare"]["query"]>;
type SourceQuery = NonNullable<Operations["GET /v1/trackers/{name}/sources"]["query"]>;

/** Reads metrics, and reads them again when the query changes. Reads nothing if the query is undefined. */
export function useMetrics(name: string, query: MetricQuery | undefined, ...on: unknown[]) {
  return useLoad<MetricReport | undefined>(
    async (signal) =>
      query &&
      retryRateLimited(() => call("GET /v1/trackers/{name}/metrics", { params: { name }, query, signal }), signal),
    [name, JSON.stringify(query), ...on],
  );
}

export function useCompare(name: string, query: CompareQuery, ...on: unknown[]) {
  return useLoad(
    (signal) =>
      retryRateLimited(() => call("GET /v1/trackers/{name}/compare", { params: { name }, query, signal }), signal),
    [name, JSON.stringify(query), ...on],
  );
}

export function useSources(name: string, query: SourceQuery, ...on: unknown[]) {
  return useLoad(
    (signal) =>
      retryRateLimited(() => call("GET /v1/trackers/{name}/sources", { params: { name }, query, signal }), signal),
    [name, JSON.stringify(query), ...on],
  );
}

/** Returns the local day on which a sweep was due. */
export const dayOf = ({ slot, dueAt }: Sweep) => (/^\d{4}-\d\d-\d\dT/.test(slot) ? slot : dueAt).slice(0, 10);

/** Returns the sweeps of a period that have ended or never ran, the oldest first. */
export async function sweepsWithin(
  name: string,
  { from, to }: Pick<Period, "from" | "to">,
  signal: AbortSignal,
): Promise<Sweep[]> {
  const found: Sweep[] = [];
  let cursor: string | undefined;
  do {
    const page = await retryRateLimited(
      () => call("GET /v1/trackers/{name}/sweeps", { params: { name }, query: { limit: 100, cursor }, signal }),
      signal,
    );
    found.push(
      ...page.sweeps.filter(
        (sweep) => sweep.state !== "running" && !sweep.repeats && dayOf(sweep) >= from && dayOf(sweep) <= to,
      ),
    );
    cursor = page.nextCursor && dayOf(page.sweeps[page.sweeps.length - 1]) >= from ? page.nextCursor : undefined;
  } while (cursor);
  return found.sort((a, b) => a.dueAt.localeCompare(b.dueAt));
}

/** Returns the parameter that limits rows to some brands, without changing their numbers. */
export const havingBrands = (brands: PanelBrand[]) => brands.map(({ name }) => `brand:${name}`).join(",");
