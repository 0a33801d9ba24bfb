// The request of "Try it": its initial values, and its code.
import { base } from "../api";
import { codeFor, type Snippet } from "../snippets";
import type { Operation } from "./model";
import { pathOf } from "./path";

export interface Filled {
  values: Record<string, string>;
  body: string;
}

const urlOf = (operation: Operation, values: Record<string, string>) => new URL(pathOf(operation, values), base).href;

/** Returns the initial values of the required parameters. */
export function initialValues({ parameters }: Operation): Record<string, string> {
  const given = parameters.filter(({ in: place, required }) => place === "path" || (place === "query" && required));
  return Object.fromEntries(given.map(({ name, example }) => [name, String(example ?? "")]));
}

/** Parses JSON; returns the value or the error message. */
export function parsed(text: string): { value?: unknown; wrong?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (problem) {
    return { wrong: (problem as Error).message };
  }
}

/** Returns the request in several languages. */
export function snippets(operation: Operation, values: Record<string, string>, body: unknown): Snippet[] {
  const success = operation.replies.find(({ status }) => status.startsWith("2"))?.content[0]?.type ?? "";
  return codeFor({
    method: operation.method,
    url: urlOf(operation, values),
    body: operation.body && body,
    needsKey: operation.needsKey,
    isStream: success === "text/event-stream",
    isJSON: success.endsWith("json"),
  });
}
