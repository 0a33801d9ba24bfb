// Reads the event stream GET /v1/live. This module runs in the shared worker, so it does not use the page.
import type { LiveStatus } from "earshot";

/** A message of the stream, with the parts that changed. */
export interface News {
  connected?: boolean;
  status?: LiveStatus;
  /** Tasks changed. */
  tasks?: boolean;
  /** The server rejects the key. */
  refused?: boolean;
}

const minPause = 500;
const maxPause = 30_000;

/** Returns a function that opens the stream for a key, reopens it for another key, and closes it for "". */
export function follower(address: URL, notify: (news: News) => void): (key: string) => void {
  let stop = new AbortController();
  let current = "";
  return (key) => {
    if (key === current) return;
    current = key;
    stop.abort();
    stop = new AbortController();
    if (key) void keepOpen(address, notify, stop.signal);
  };
}

async function keepOpen(address: URL, report: (news: News) => void, signal: AbortSignal) {
  const notify = (news: News) => {
    if (!signal.aborted) report(news);
  };
  let pause = minPause;
  while (!signal.aborted) {
    try {
      const response = await fetch(address, { signal });
      if (response.ok) {
        notify({ connected: true });
        pause = minPause;
        await read(response.body!, notify);
      } else if (response.status === 401) {
        notify({ refused: true });
      }
    } catch {
      // The connection broke; the loop opens it again.
    }
    notify({ connected: false });
    await new Promise((done) => setTimeout(done, pause));
    pause = Math.min(pause * 2, maxPause);
  }
}

async function read(body: NonNullable<Response["body"]>, notify: (news: News) => void) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (pending + value).split("\n\n");
    pending = events.pop()!;
    for (const event of events) notify(newsOf(event));
  }
}

function newsOf(event: string): News {
  let name = "message";
  let data = "";
  for (const line of event.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data += line.slice(5);
  }
  if (name === "status" && data) return { status: JSON.parse(data) };
  return name === "tasks" ? { tasks: true } : {};
}
