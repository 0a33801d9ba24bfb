// Sends the request of "Try it", and reports the response while it arrives.
import { open } from "../api";
import { pathOf } from "./path";
import { parsed, type Filled } from "./request";
import type { Operation } from "./model";

export interface Received {
  status: number;
  statusText: string;
  headers: [string, string][];
  ms: number;
  text: string;
  more: boolean;
  ended: boolean;
}

/** The most characters of a response that are shown. */
const maxText = 200_000;
const uninteresting = /^(date|content-length|connection|keep-alive|vary|etag|cache-control|transfer-encoding)$/;

/** Sends a request. An empty key means the session. */
export async function send(
  operation: Operation,
  { values, body }: Filled,
  key: string,
  signal: AbortSignal,
  show: (received: Received) => void,
) {
  const started = performance.now();
  const response = await open(operation.method, pathOf(operation, values), {
    withKey: operation.needsKey ? key || undefined : "",
    signal,
    anyStatus: true,
    body: operation.body && parsed(body).value,
  });
  const received: Received = {
    status: response.status,
    statusText: response.statusText,
    ms: 0,
    text: "",
    more: false,
    ended: false,
    headers: [...response.headers].filter(([name]) => !uninteresting.test(name)),
  };
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  const update = () => show({ ...received, ms: Math.round(performance.now() - started) });
  try {
    for await (const text of pieces(response)) {
      received.text += text;
      if (received.text.length > maxText) {
        received.more = true;
        received.text = received.text.slice(0, maxText);
        break;
      }
      if (isStream) update();
    }
  } finally {
    received.ended = true;
    update();
  }
}

/** Yields the body in pieces; ending early closes the connection. */
async function* pieces({ body }: Response): AsyncGenerator<string> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns the text of a response, with JSON indented. */
export function readable({ text, more }: Received): string {
  const { value, wrong } = more ? { value: undefined, wrong: "cut" } : parsed(text);
  return wrong ? text : JSON.stringify(value, null, 2);
}
