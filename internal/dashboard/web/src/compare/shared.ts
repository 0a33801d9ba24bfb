// What the answers have in common: who cites a domain, who names a brand.
import { cellName, found, type Cell } from "./cells";

/** How many of the answers have something. */
export type Share = "all" | "some" | "one";

/** Something that answers mention, and how often each of them does. */
export interface Mention { name: string; kind?: string; counts: number[]; cells: number; total: number; share: Share }

export const shares: Record<Share, { symbol: string; label: string }> = {
  all: { symbol: "●", label: "in all answers" },
  some: { symbol: "◐", label: "in several answers" },
  one: { symbol: "○", label: "in one answer only" },
};

export const answered = (cells: Cell[]) => cells.filter((cell) => cell.phase === "done");

/** The domains that an answer cites or a search found, with repetitions. */
function domains({ reply }: Cell): string[] {
  const cited: any[] = Array.isArray(reply?.result.sources) ? reply.result.sources : found(reply?.result ?? {});
  return cited.map((page) => String(page?.domain ?? "").toLowerCase().replace(/^www\./, "")).filter(Boolean);
}

interface Named { name: string; kind?: string }

const namedDomains = (cell: Cell): Named[] => domains(cell).map((name) => ({ name }));

function entities({ reply }: Cell): Named[] {
  const list: any[] = Array.isArray(reply?.result.entities) ? reply.result.entities : [];
  return list.map(({ name, type }) => ({ name: String(name), kind: type }));
}

export const domainMentions = (cells: Cell[]) => mentions(answered(cells).map(namedDomains));
export const entityMentions = (cells: Cell[]) => mentions(answered(cells).map(entities));

/** The names of the columns that counts stand for. */
export const columnNames = (cells: Cell[]) => answered(cells).map(cellName);

/** Counts, with what most answers have first. */
function mentions(lists: Named[][]): Mention[] {
  const byName = new Map<string, Mention>();
  lists.forEach((list, column) => {
    for (const { name, kind } of list) {
      const id = name.toLowerCase();
      let mention = byName.get(id);
      if (!mention) byName.set(id, (mention = { name, kind, counts: lists.map(() => 0), cells: 0, total: 0, share: "one" }));
      if (mention.counts[column]++ === 0) mention.cells++;
      mention.total++;
    }
  });
  for (const mention of byName.values()) mention.share = shareOf(mention.cells, lists.length);
  return [...byName.values()].sort((a, b) => b.cells - a.cells || b.total - a.total || a.name.localeCompare(b.name));
}

/** One answer alone shares nothing, whatever it cites. */
function shareOf(cells: number, of: number): Share {
  if (cells < 2) return "one";
  return cells === of ? "all" : "some";
}
