// The path of a request as it is filled in.
import type { Operation } from "./model";

/**
 * What code shows for a part of the path that is not filled in, such as TASK_ID: words that a URL can hold as
 * they are.
 */
const placeholder = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** The path with its parameters and query, relative to the API's address. */
export function pathOf(
  { path, parameters }: Pick<Operation, "path" | "parameters">,
  values: Record<string, string>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    values[name] ? encodeURIComponent(values[name]) : placeholder(name),
  );
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) if (place === "query" && values[name]) query.set(name, values[name]);
  return filled.slice(1) + (query.size ? `?${query}` : "");
}
