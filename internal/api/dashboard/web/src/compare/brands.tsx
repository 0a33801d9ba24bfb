// The mentions of a tracker's brands in the answers of a comparison.
import { call, retryRateLimited } from "../api";
import { changeQuery, route } from "../state";
import { Problem, Select, useLoad } from "../ui";
import { answered, type Named } from "./shared";
import type { Cell } from "./run";

/** Reads the mentions of the brands of the tracker in the address, for every answer. */
export function useNamed(cells: Cell[]): { named?: Named; error: unknown } {
  const { tracker } = route.value.query;
  const ids = answered(cells).flatMap(({ reply }) => reply?.requestId || []);
  const { value, error } = useLoad(
    async (signal) => {
      if (!tracker) return undefined;
      const found = await Promise.all(
        ids.map(async (id): Promise<[string, string[]]> => {
          const { found } = await retryRateLimited(
            () => call("GET /v1/requests/{id}", { params: { id }, query: { brandsOf: tracker }, signal }),
            signal,
          );
          return [
            id,
            (found?.mentions ?? [])
              .filter(({ kind }) => kind !== "absent")
              .sort((a, b) => a.position - b.position)
              .map(({ brand }) => brand),
          ];
        }),
      );
      return { tracker, named: new Map(found) };
    },
    [tracker, ids.join()],
  );
  return { named: tracker && value?.tracker === tracker ? value.named : undefined, error };
}

export function BrandPicker({ error }: { error: unknown }) {
  const { tracker = "" } = route.value.query;
  const all = useLoad((signal) => call("GET /v1/trackers", { signal }), []).value?.trackers;
  if (!all) return null;
  if (!all.length)
    return (
      <p class="faint">
        Create a <a href="#/trackers">tracker</a> to see the mentions of its brands.
      </p>
    );
  return (
    <div class="row compare-brands">
      <label>
        Show mentions of the brands of
        <Select
          all="No tracker"
          value={tracker}
          options={all.map(({ name, title }) => [name, title])}
          onChoose={(tracker) => changeQuery({ tracker })}
          data-testid="brands-of"
        />
      </label>
      <Problem error={error} />
    </div>
  );
}
