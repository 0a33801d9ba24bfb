// Which lines of a chart are shown, and the cursor that chooses a point.
import { useState } from "preact/hooks";

/** The names of the shown lines; rest has the names that were shown before one was isolated. */
export interface Shown {
  names: string[];
  rest?: string[];
}

/** Shows one line alone, or again the lines from before. */
export const isolate = ({ names, rest }: Shown, name: string, all: string[]): Shown =>
  names.length === 1 && names[0] === name ? { names: rest ?? all } : { names: [name], rest: names };

/** Hides or shows a line; the last shown line stays. */
export function toggle({ names }: Shown, name: string): Shown {
  if (!names.includes(name)) return { names: [...names, name] };
  return { names: names.length > 1 ? names.filter((n) => n !== name) : names };
}

/** Keeps which lines are shown; first has the names that are shown at first. */
export function useShown(first: string[]) {
  const [changed, change] = useState<Shown>();
  const shown = changed ?? { names: first };
  return {
    ...shown,
    isolate: (name: string) => change(isolate(shown, name, first)),
    toggle: (name: string) => change(toggle(shown, name)),
  };
}

/** A chosen point, the chosen line, and the point where a selection starts. */
export interface Cursor {
  at?: number;
  line?: number;
  anchor?: number;
}

/** Returns the cursor after a key, or undefined if the key does not move it. Shift selects points. */
export function afterKey(
  cursor: Cursor,
  { key, shiftKey }: Pick<KeyboardEvent, "key" | "shiftKey">,
  { count, lines, first }: { count: number; lines: number; first: number },
): Cursor | undefined {
  const { at = first, line = 0 } = cursor;
  const last = count - 1;
  const points: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  if (Object.hasOwn(points, key))
    return {
      ...cursor,
      at: Math.max(0, Math.min(last, points[key])),
      anchor: shiftKey ? (cursor.anchor ?? at) : undefined,
    };
  if (key === "ArrowUp" || key === "ArrowDown")
    return { ...cursor, at, line: (line + (key === "ArrowUp" ? lines - 1 : 1)) % Math.max(1, lines) };
  return key === "Escape" ? {} : undefined;
}

/** Returns the selected points, the first and the last; undefined without a selection. */
export const selected = ({ at, anchor }: Cursor): [number, number] | undefined =>
  at === undefined || anchor === undefined || at === anchor ? undefined : [Math.min(at, anchor), Math.max(at, anchor)];
