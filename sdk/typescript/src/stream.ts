import { ConnectionFailed } from "./errors.js";

/**
 * Yields the values in a response with one JSON value per line, such as the one of
 * `batches.results` and `trackers.export`.
 */
export async function* ndjson<T>(response: Response): AsyncGenerator<T, void, undefined> {
  for await (const line of lines(response)) {
    if (line) yield JSON.parse(line) as T;
  }
}

/** @internal Yields server-sent events. It skips comments. */
export async function* serverSentEvents(response: Response): AsyncGenerator<{ event: string; data: string }> {
  let event = "";
  let data: string[] = [];
  for await (const line of lines(response)) {
    if (line.startsWith("event:")) event = line.slice(6).trimStart();
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
    if (line !== "") continue;
    if (data.length > 0) yield { event, data: data.join("\n") };
    event = "";
    data = [];
  }
}

/** Yields the lines of a body. If the caller stops early, the connection is closed. */
async function* lines(response: Response): AsyncGenerator<string, void, undefined> {
  const reader = response.body!.getReader(); // Safari cannot iterate over a stream
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        // A TypeError is an error of the network; others are the reasons of an aborted signal.
        throw error instanceof TypeError ? new ConnectionFailed(response.url, error) : error;
      });
      rest += decoder.decode(value, { stream: !done });
      const complete = rest.split(/\r?\n/);
      rest = complete.pop()!;
      yield* complete;
      if (done) break;
    }
    if (rest) yield rest;
  } finally {
    reader.cancel().catch(() => {}); // also after an error, which was thrown already
  }
}
