// Counts in words, for modules that run without a browser, too.
export const number = (n: number | null | undefined) => (n == null ? "–" : n.toLocaleString());

/** Returns a count with its noun: 1 sweep, 2 sweeps. */
export const counted = (n: number | null | undefined, one: string, many = `${one}s`) =>
  `${number(n)} ${n === 1 ? one : many}`;
