// The sources that came and went between two periods, and the brands that they are cited for.
import type { SourceReport, Tracker } from "earshot";
import { CardTable } from "../../table";
import { Loading, number, together, type Fetched } from "../../ui";
import { addressOf, previousPeriod, type numberQuery } from "../address";
import { useSources } from "../numbers";
import { Brands } from "../contents/list";
import type { PanelBrand } from "../pieces";
import { keyOf, SourceType, wayOf } from "../sources/source";
import type { SourceMove } from "./sentence";

/** A source that moved, for the table. */
interface Moved extends SourceMove {
  key: string;
  type: string;
  brand?: string;
  brands: string[];
}

/** The most sources that each request reads: about 100 KB. */
const most = 100;

/** Reads the sources of a period and of the one before, and finds what changed. */
export function useMoves(tracker: Tracker, query: ReturnType<typeof numberQuery>, brand: string): Fetched<Moved[]> {
  const now = useSources(tracker.name, { ...query, by: "domain", limit: most, since: true }, tracker);
  const past = useSources(tracker.name, { ...query, ...previousPeriod(query), by: "domain", limit: most }, tracker);
  return { ...together(now, past), value: now.value && past.value && movesOf(now.value, past.value, brand) };
}

function movesOf(now: SourceReport, past: SourceReport, brand: string): Moved[] {
  const earlier = new Map(past.rows.map((row) => [keyOf(row), row]));
  const brandsOf = (...of: ({ backs?: { brand: string }[] } | undefined)[]) => [
    ...new Set(of.flatMap((row) => row?.backs?.map((one) => one.brand) ?? [])),
  ];
  const kept = now.rows.flatMap((row): Moved[] => {
    const [key, was] = [keyOf(row), earlier.get(keyOf(row))];
    const way = wayOf(row, was);
    if (!row.since || (row.since.state !== "gained" && way !== "up" && way !== "down")) return [];
    const kind = row.since.state === "gained" ? "new" : way === "up" ? "more" : "less";
    const brands = brandsOf(row, was);
    return [{ ...row, ...row.since, key, kind, name: row.domain ?? "", brands, backs: brands.includes(brand) }];
  });
  const gone = (now.lost ?? []).map((row): Moved => {
    const brands = brandsOf(earlier.get(keyOf(row)));
    return {
      ...row,
      key: keyOf(row),
      kind: "gone",
      name: row.domain ?? "",
      after: 0,
      brands,
      backs: brands.includes(brand),
    };
  });
  return [...kept, ...gone].sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

const kinds: Record<SourceMove["kind"], string> = {
  gone: "− No longer cited",
  less: "▼ Cited less",
  new: "+ New",
  more: "▲ Cited more",
};

const shown = 20;

interface SourcesProps {
  tracker: Tracker;
  panel: PanelBrand[];
  brand: string;
  moves: Fetched<Moved[]>;
}

export function Sources({ tracker, panel, brand, moves }: SourcesProps) {
  const rows = moves.value ?? [];
  return (
    <section class="card" aria-label="Sources that came and went" data-testid="why-sources">
      <div class="title-line">
        <h2>Sources that came and went</h2>
        <a href={addressOf(tracker.name, "sources", { brand })}>
          All sources of <bdi>{brand}</bdi>
        </a>
      </div>
      <Loading of={moves} lines={4} />
      {moves.value && !rows.length && <p class="faint">No source changed by more than normal variation</p>}
      {rows.length > 0 && (
        <>
          <p class="faint">
            {rows.length > shown && `The ${shown} largest of ${number(rows.length)} changes. `}
            More and less mean: beyond normal variation. Sources in few answers come and go by chance.
          </p>
          <CardTable
            label="Sources that came and went"
            rows={rows.slice(0, shown)}
            rowKey={({ key }) => key}
            cells={{
              Source: (row) => (
                <>
                  {row.name} <SourceType of={row} />
                </>
              ),
              Change: ({ kind }) => kinds[kind],
              "#Answers before": ({ before }) => number(before),
              "#Answers after": ({ after }) => number(after),
              "Cited for": ({ brands }) =>
                brands.length ? <Brands of={brands} panel={panel} /> : <span class="faint">No brand</span>,
            }}
          />
        </>
      )}
    </section>
  );
}
