// The ID of a tracker, derived from the name that people give it.

/** Letters that Unicode does not decompose into an ASCII letter and a mark. */
const spelled: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ł: "l", þ: "th", ð: "d", ı: "i" };

const maxLength = 90; // the API allows 100; the rest is for the number of a duplicate

/** Returns an ID that is not taken; "" for an empty name. Without a Latin letter or digit, it is "tracker". */
export function idOf(name: string, taken: readonly string[]): string {
  if (!name.trim()) return "";
  const ascii = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}|['’]/gu, "")
    .replace(/[^ -~]/g, (letter) => spelled[letter] ?? " ");
  const words = ascii.split(/[^a-z0-9]+/).filter(Boolean);
  const id = words.join("-").slice(0, maxLength).replace(/-$/, "") || "tracker";
  let free = id;
  for (let n = 2; taken.includes(free); n++) free = `${id}-${n}`;
  return free;
}
