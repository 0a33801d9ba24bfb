// The path of a request with its parameters.
import type { Operation } from "./model";

/** Returns the placeholder of an empty path parameter, such as TASK_ID for taskId. */
const placeholder = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Returns the path with its parameters and query, relative to the API's base URL. */
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
