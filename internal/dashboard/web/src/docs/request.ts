// A request as it is filled in: what the code shows and what "Try it" sends.
import { base } from "../api";
import type { Operation } from "./model";

export interface Filled { values: Record<string, string>; body: string }

/** The path with its parameters and query, relative to the API's address. */
export function pathOf({ path, parameters }: Operation, values: Record<string, string>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] || `{${name}}`));
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) if (place === "query" && values[name]) query.set(name, values[name]);
  return filled.slice(1) + (query.size ? `?${query}` : "");
}

export const urlOf = (operation: Operation, values: Record<string, string>) => new URL(pathOf(operation, values), base).href;

/** What the fields hold at first: a path needs all of its parts. */
export function atFirst({ parameters }: Operation): Record<string, string> {
  const given = parameters.filter(({ in: place, required }) => place === "path" || (place === "query" && required));
  return Object.fromEntries(given.map(({ name, example }) => [name, String(example ?? "")]));
}

/** The JSON that a text holds, or what is wrong with it. */
export function parsed(text: string): { value?: unknown; wrong?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (problem) {
    return { wrong: (problem as Error).message };
  }
}
