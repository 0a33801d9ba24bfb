// The brands of a tracker in the answers, as the service finds them by the tracker's rules.
import { call, patiently } from "../api";
import { changeQuery, route } from "../state";
import { Problem, useLoad } from "../ui";
import { answered, type Named } from "./shared";
import type { Cell } from "./run";

/** Asks for the brands of the tracker in the address in every answer. */
export function useNamed(cells: Cell[]): { named?: Named; error: unknown } {
  const { tracker } = route.value.query;
  const ids = answered(cells).flatMap(({ reply }) => reply?.requestId || []);
  const { value, error } = useLoad(
    async (signal) => {
      if (!tracker) return undefined;
      const found = await Promise.all(
        ids.map(async (id): Promise<[string, string[]]> => {
          const { found } = await patiently(
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
        Make a <a href="#/trackers">tracker</a>, and the answers can be searched for its brands.
      </p>
    );
  return (
    <div class="row compare-brands">
      <label>
        Count the brands of
        <select
          value={tracker}
          onChange={(event) => changeQuery({ tracker: event.currentTarget.value })}
          data-testid="brands-of">
          <option value="">no tracker</option>
          {all.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Problem error={error} />
    </div>
  );
}
