// A source in words: its type, its brand, and the bar of its share.
import { External } from "../../external";
import type { SourceRow } from "earshot";

/** The types of sources, by the names of the API. */
const types: Record<string, string> = { own: "Own", rival: "Competitor" };

/** Returns the type of a source in words, such as Competitor for rival and News for news. */
const typeName = (type: string) =>
  Object.hasOwn(types, type) ? types[type] : type.charAt(0).toUpperCase() + type.slice(1);

/** The type of a source, and the brand that it belongs to. */
export const SourceType = ({ of: { type, brand } }: { of: { type: string; brand?: string } }) => (
  <>
    <span class={`badge type ${type}`}>{typeName(type)}</span>
    {brand && <bdi class="faint"> {brand}</bdi>}
  </>
);

/** The page, domain or type that a row is about. */
export const SourceName = ({ row }: { row: Pick<SourceRow, "url" | "domain" | "type"> }) =>
  row.url ? <External href={row.url}>{row.url}</External> : (row.domain ?? typeName(row.type));

/** A bar of a share; a bar of full length has the share of. */
export const ShareBar = ({ share, of }: { share: number | null; of: number }) => (
  <div class="share-bar" aria-hidden="true">
    <div style={{ width: `${(100 * (share ?? 0)) / (of || 1)}%` }} />
  </div>
);

/** Identifies a row: each surface has its own row of a source. */
export const keyOf = (row: Pick<SourceRow, "url" | "domain" | "type" | "target">) =>
  `${row.url ?? row.domain ?? row.type} ${row.target}`;

export type Way = "up" | "down" | "same" | "unknown";

/** Compares the expected ranges of two periods: a share moved if they do not overlap. */
export function wayOf(row: SourceRow, past?: SourceRow): Way {
  const [now, then] = [row.interval?.rerun, past?.interval?.rerun];
  if (!now || !then) return "unknown";
  return now[0] > then[1] ? "up" : now[1] < then[0] ? "down" : "same";
}
