// Splits a text of an answer at its mentions, so that each piece has one style. The API's ranges count bytes of UTF-8;
// JavaScript counts UTF-16 units.
import type { FoundMention } from "earshot";

/** A piece of a line. */
export interface Piece {
  text: string;
  mention?: FoundMention;
  /** The positions of the sources that the sentence cites. */
  cites: number[];
  strong?: boolean;
}
/** The end of a sentence with a mention, and the positions of the sources that it cites. */
export interface Support {
  support: number[];
}
export interface Line {
  kind: "text" | "heading" | "item";
  label: string;
  parts: (Piece | Support)[];
}

/** Returns a function that converts a byte offset to an index of the text. */
export function indexOfByte(text: string): (byte: number) => number {
  const places: number[] = [];
  let index = 0;
  for (const letter of text) {
    const bytes =
      letter.codePointAt(0)! < 0x80 ? 1 : letter.codePointAt(0)! < 0x800 ? 2 : letter.codePointAt(0)! < 0x10000 ? 3 : 4;
    for (let i = 0; i < bytes; i++) places.push(index);
    index += letter.length;
  }
  places.push(index);
  return (byte) => places[Math.min(Math.max(byte, 0), places.length - 1)];
}

interface Range {
  start: number;
  end: number;
}
interface Place extends Range {
  mention: FoundMention;
  sentence: Range;
}

/** Returns the lines of a text with its mentions. Of Markdown, it reads headings, lists, emphasis and links. */
export function linesOf(text: string, mentions: FoundMention[], markdown: boolean): Line[] {
  const at = indexOfByte(text);
  const places: Place[] = mentions.map((mention) => ({
    mention,
    start: at(mention.start),
    end: at(mention.end),
    sentence: { start: at(mention.sentenceStart), end: text.slice(0, at(mention.sentenceEnd)).trimEnd().length },
  }));
  const lines: Line[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    if (line.trim()) lines.push(lineOf(text, { start, end }, places, markdown));
    start = end + 1;
  }
  return lines;
}

function lineOf(text: string, { start, end }: Range, places: Place[], markdown: boolean): Line {
  const line = text.slice(start, end);
  const heading = markdown ? line.match(/^\s{0,3}#{1,6}\s+/) : null;
  const item = line.match(/^\s*(?:([-*•])|(\d{1,3}[.)]))\s+/);
  const head = heading ?? item;
  const from = start + (head?.[0].length ?? 0);
  return {
    kind: heading ? "heading" : item ? "item" : "text",
    label: item ? (item[2] ?? "•") : "",
    parts: partsOf(text, { start: from, end }, places, markdown ? hiddenIn(text, from, end) : []),
  };
}

/** Returns the ranges of Markdown syntax that readers do not see: emphasis marks and link targets. */
function hiddenIn(text: string, start: number, end: number): (Range & { strong?: boolean })[] {
  const hidden: (Range & { strong?: boolean })[] = [];
  for (const match of text
    .slice(start, end)
    .matchAll(/(\*\*|__)|!?(\[)(?=[^\]\n]*\]\([^)\n]*\))|(\]\([^)\n]*\))|(`+)/g)) {
    const from = start + match.index;
    hidden.push({ start: from, end: from + match[0].length, strong: !!match[1] });
  }
  return hidden;
}

function partsOf(
  text: string,
  { start, end }: Range,
  places: Place[],
  hidden: (Range & { strong?: boolean })[],
): (Piece | Support)[] {
  const cuts = new Set([start, end]);
  const cut = (at: number) => {
    if (at > start && at < end) cuts.add(at);
  };
  for (const place of places)
    for (const at of [place.start, place.end, place.sentence.start, place.sentence.end]) cut(at);
  for (const range of hidden) {
    cut(range.start);
    cut(range.end);
  }
  const edges = [...cuts].sort((a, b) => a - b);
  const parts: (Piece | Support)[] = [];
  let strong = false;
  for (let i = 0; i + 1 < edges.length; i++) {
    const [from, to] = [edges[i], edges[i + 1]];
    const mark = hidden.find((range) => range.start <= from && to <= range.end);
    if (mark?.strong && mark.start === from) strong = !strong;
    const around = places.filter(({ sentence }) => sentence.start <= from && to <= sentence.end);
    if (!mark) {
      const mention = places.find((place) => place.start <= from && to <= place.end)?.mention;
      parts.push({ text: text.slice(from, to), mention, cites: citesOf(around), strong });
    }
    const ended = around.filter(({ sentence, mention }) => sentence.end === to && mention.kind !== "absent");
    if (ended.length) parts.push({ support: citesOf(ended) });
  }
  return parts;
}

const citesOf = (places: Place[]) =>
  [...new Set(places.flatMap(({ mention }) => mention.citations))].sort((a, b) => a - b);
