/** A part of a search, and whether the prompt does not have it. */
export interface Part {
  text: string;
  isAdded: boolean;
}

const isWord = (text: string) => /^[\p{L}\p{N}\p{M}]/u.test(text);

/** Returns the next place of a word; not inside a longer word, unless it is written without spaces everywhere. */
function placeOf(text: string, word: string, from: number): number {
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1))
    if (!isWord(text.slice(at + word.length)) && !(at > 0 && isWord(text[at - 1]))) return at;
  return text.indexOf(word, from);
}

/** Splits a search at the words that its prompt does not have, which are given in their order. */
export function partsOf(search: string, added: string[]): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const word of added) {
    const at = placeOf(search, word, from);
    if (at < 0) continue;
    parts.push({ text: search.slice(from, at), isAdded: false }, { text: word, isAdded: true });
    from = at + word.length;
  }
  return [...parts, { text: search.slice(from), isAdded: false }].filter(({ text }) => text);
}
