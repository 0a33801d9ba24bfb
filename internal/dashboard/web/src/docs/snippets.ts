// An operation's request in several languages.
import { codeFor, type Snippet } from "../snippets";
import type { Operation } from "./model";
import { urlOf } from "./request";

export function snippets(operation: Operation, values: Record<string, string>, body: unknown): Snippet[] {
  const success = operation.replies.find(({ status }) => status.startsWith("2"))?.content[0]?.type ?? "";
  return codeFor({
    method: operation.method, url: urlOf(operation, values), body: operation.body && body, needsKey: operation.needsKey,
    isStream: success === "text/event-stream", isJSON: success.endsWith("json"),
  });
}
