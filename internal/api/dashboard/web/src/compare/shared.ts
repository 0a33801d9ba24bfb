// What the answers of a comparison have in common: cited domains, brands and products. Also as files.
import { ApiError } from "../api";
import { csvFile } from "../file";
import { isMadeUp } from "../result/origin";
import { cellName, found, type Cell, type Comparison } from "./run";

/** The brands that answers name, by the IDs of the calls. A brand is repeated for each mention. */
export type Named = ReadonlyMap<string, string[]>;

/** How many answers have something in common. */
export type Share = "all" | "some" | "one";

/** A domain, brand or product, and how often each answer mentions it. */
export interface Mention {
  name: string;
  kind?: string;
  counts: number[];
  cells: number;
  total: number;
  share: Share;
}

export const shares: Record<Share, { symbol: string; label: string }> = {
  all: { symbol: "●", label: "In all answers" },
  some: { symbol: "◐", label: "In several answers" },
  one: { symbol: "○", label: "In one answer" },
};

export const answered = (cells: Cell[]) => cells.filter((cell) => cell.phase === "done");

/** Returns the domains that an answer cites or a search found, with repetitions. */
function domains({ reply }: Cell): string[] {
  if (!reply) return [];
  const cited = "sources" in reply.result ? reply.result.sources : found(reply.result);
  return cited.map(({ domain }) => domain.toLowerCase().replace(/^www\./, "")).filter(Boolean);
}

interface Thing {
  name: string;
  kind?: string;
}

const namedDomains = (cell: Cell): Thing[] => domains(cell).map((name) => ({ name }));

function entities({ reply }: Cell): Thing[] {
  return reply && "entities" in reply.result
    ? reply.result.entities.map(({ name, type }) => ({ name, kind: type }))
    : [];
}

export const domainMentions = (cells: Cell[]) => mentions(answered(cells).map(namedDomains));
export const entityMentions = (cells: Cell[]) => mentions(answered(cells).map(entities));
export const brandMentions = (cells: Cell[], named: Named) =>
  mentions(answered(cells).map(({ reply }) => (named.get(reply?.requestId ?? "") ?? []).map((name) => ({ name }))));

/** Returns the names of the columns; sample data is marked. */
export const columnNames = (cells: Cell[]) =>
  answered(cells).map((cell) => cellName(cell) + (madeUp(cell) ? " (sample data)" : ""));

export const allMadeUp = (cells: Cell[]) => answered(cells).every(madeUp);

const madeUp = ({ reply }: Cell) => !!reply && isMadeUp(reply.result);

/** Counts mentions, the most common first. */
function mentions(lists: Thing[][]): Mention[] {
  const byName = new Map<string, Mention>();
  lists.forEach((list, column) => {
    for (const { name, kind } of list) {
      const id = name.toLowerCase();
      let mention = byName.get(id);
      if (!mention) {
        mention = { name, kind, counts: lists.map(() => 0), cells: 0, total: 0, share: "one" };
        byName.set(id, mention);
      }
      if (mention.counts[column]++ === 0) mention.cells++;
      mention.total++;
    }
  });
  for (const mention of byName.values()) mention.share = shareOf(mention.cells, lists.length);
  return [...byName.values()].sort((a, b) => b.cells - a.cells || b.total - a.total || a.name.localeCompare(b.name));
}

/** Returns how many answers have something in common; a single answer has nothing in common with others. */
function shareOf(cells: number, of: number): Share {
  if (cells < 2) return "one";
  return cells === of ? "all" : "some";
}

/** Returns a CSV file with the citations of each domain by answer. */
export function csv(cells: Cell[]): Blob {
  const rows = domainMentions(cells).map(({ name, cells: count, counts }) => [name, count, ...counts]);
  return csvFile([["domain", "answers", ...columnNames(cells)], ...rows]);
}

export function json({ prompt, startedAt, cells }: Comparison): Blob {
  const columns = columnNames(cells);
  const named = ({ name, kind, counts, share }: Mention) => ({
    name,
    type: kind,
    share,
    counts: Object.fromEntries(columns.map((column, i) => [column, counts[i]])),
  });
  const text = JSON.stringify(
    {
      prompt,
      startedAt,
      domains: domainMentions(cells).map(named),
      entities: entityMentions(cells).map(named),
      cells: cells.map((cell) => ({
        provider: cell.provider,
        country: cell.country,
        phase: cell.phase,
        madeUp: madeUp(cell) || undefined,
        ...cell.reply,
        error: exportedError(cell.error),
      })),
    },
    null,
    2,
  );
  return new Blob([text], { type: "application/json" });
}

function exportedError(error: unknown) {
  if (error instanceof ApiError) return { code: error.code, message: error.message, requestId: error.requestId };
  return error instanceof Error ? { message: error.message } : undefined;
}
