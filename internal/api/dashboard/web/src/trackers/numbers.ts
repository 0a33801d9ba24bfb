// Hooks that read the numbers and sweeps of a tracker. They wait if the rate limit is exceeded.
import { call, retryRateLimited } from "../api";
import type { Operations, Sweep } from "earshot";
import { useLoad } from "../ui";
import type { Period } from "./address";
import type { PanelBrand } from "./pieces";

type Read = `GET /v1/trackers/{name}/${"metrics" | "compare" | "sources" | "alerts"}`;

/** Returns a hook that reads again when the query or another value changes, and reads nothing without a query. */
const reads =
  <R extends Read>(operation: R) =>
  (name: string, query: Operations[R]["query"] | undefined, ...on: unknown[]) =>
    useLoad<Operations[R]["response"]>(
      async (signal) =>
        query
          ? retryRateLimited(() => call<Read>(operation, { params: { name }, query, signal }), signal)
          : (undefined as never), // the hook returns undefined while it reads, too
      [name, JSON.stringify(query), ...on],
    );

export const useMetrics = reads("GET /v1/trackers/{name}/metrics");
export const useCompare = reads("GET /v1/trackers/{name}/compare");
export const useSources = reads("GET /v1/trackers/{name}/sources");
export const useAlerts = reads("GET /v1/trackers/{name}/alerts");

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
