// Places the labels of charts so that no two overlap. Widths of texts are estimates, because the browser would have to
// lay out each text to measure it; the estimates are at least as wide as the text in common fonts.

/** The size of the labels in pixels. */
export const labelSize = 12;

const widths: [RegExp, number][] = [
  [/[\p{Mn}\u200b-\u200f\u2066-\u2069]/u, 0],
  [/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u, 1.05],
  [/[\u{1f000}-\u{3fffd}]/u, 1.4],
  [/[mwMW%@…●■▲◆✚▼▬◀]/u, 1],
  [/\p{Lu}/u, 0.8],
  [/[ iljI.,:;'|!·()]/u, 0.4],
  [/[\u0e00-\u1cff\ua800-\uabff]/u, 1],
];

/** Estimates the width of a text in pixels. */
export function textWidth(text: string, size = labelSize): number {
  let width = 0;
  for (const letter of text) width += widths.find(([letters]) => letters.test(letter))?.[1] ?? 0.66;
  return width * size;
}

/** Returns a text that fits into a width, shortened with an ellipsis if necessary. */
export function cut(text: string, room: number, size = labelSize): string {
  if (textWidth(text, size) <= room) return text;
  const letters = Array.from(text);
  while (letters.length && textWidth(`${letters.join("").trimEnd()}…`, size) > room) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

/** Returns a name that does not change the direction of the text around it, as <bdi> does in HTML. */
export const isolated = (name: string) => `\u2068${name}\u2069`;

/**
 * Moves positions apart: neighbors have the distance apart, all are between low and high, and their order stays. If
 * there is no room for all, the last ones of the list have no position.
 */
export function spread(wanted: number[], apart: number, low: number, high: number): (number | undefined)[] {
  const room = Math.max(0, Math.floor((high - low) / apart) + 1);
  const order = wanted.map((_, i) => i).slice(0, room);
  order.sort((a, b) => wanted[a] - wanted[b]);
  const placed: (number | undefined)[] = wanted.map(() => undefined);
  let next = low;
  order.forEach((i, k) => {
    placed[i] = Math.min(Math.max(wanted[i], next), high - (order.length - 1 - k) * apart);
    next = placed[i]! + apart;
  });
  return placed;
}

/** A label with its center. */
interface Label {
  i: number;
  x: number;
  text: string;
}

/** Returns the labels of a horizontal axis: every n-th one up to the last, apart from each other and within bounds. */
export function axisLabels(texts: string[], xs: number[], low: number, high: number, most = 8): Label[] {
  for (let every = Math.max(1, Math.ceil(texts.length / most)); every <= texts.length; every++) {
    const labels = texts.flatMap((text, i) => {
      const half = textWidth(text) / 2;
      const x = Math.max(low + half, Math.min(high - half, xs[i]));
      return (texts.length - 1 - i) % every === 0 && 2 * half <= high - low ? [{ i, x, text, half }] : [];
    });
    if (labels.every(({ x, half }, k) => k === 0 || x - half - labels[k - 1].x - labels[k - 1].half >= 10))
      return labels.map(({ half, ...label }) => label);
  }
  return [];
}

/** The width of a flag with this text. */
export const flagWidth = (text: string) => textWidth(text) + 10;

/** Returns flags in a row: with their words where there is room, otherwise their letters alone. */
export function flagLabels(flags: { x: number; letter: string; word: string }[], low: number, high: number): Label[] {
  const apart = flagWidth("W") + 2;
  const centers = spread(
    flags.map(({ x }) => x),
    apart,
    low + apart / 2,
    high - apart / 2,
  );
  const labels = centers.flatMap((x, i) => (x === undefined ? [] : [{ i, x, text: flags[i].letter }]));
  labels.sort((a, b) => a.x - b.x);
  let end = low;
  labels.forEach((label, k) => {
    const { letter, word } = flags[label.i];
    const width = flagWidth(`${letter} ${word}`);
    const next = k + 1 < labels.length ? labels[k + 1].x - apart / 2 : high;
    const x = Math.max(end + width / 2, Math.min(next - width / 2, label.x));
    if (x + width / 2 <= next) Object.assign(label, { x, text: `${letter} ${word}` });
    end = label.x + flagWidth(label.text) / 2 + 2;
  });
  return labels;
}

/** Returns the row and the left edge of each item, in rows that are at most as wide as room. */
export function flow(itemWidths: number[], room: number, gap: number): { x: number; row: number }[] {
  let [x, row] = [0, 0];
  return itemWidths.map((width) => {
    if (x > 0 && x + width > room) [x, row] = [0, row + 1];
    const place = { x, row };
    x += width + gap;
    return place;
  });
}
