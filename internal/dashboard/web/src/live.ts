// The one event stream: balance, slots, queue, and that tasks changed.
import { effect } from "@preact/signals";
import { respond } from "./api";
import { connected, key, status, taskChanges } from "./state";

const maxPause = 30_000;

/** Follows the stream as long as somebody is signed in. */
export function follow() {
  let stop = new AbortController();
  effect(() => {
    stop.abort();
    stop = new AbortController();
    status.value = undefined;
    if (key.value) void keepOpen(stop.signal);
  });
}

async function keepOpen(signal: AbortSignal) {
  let pause = 500;
  while (!signal.aborted) {
    try {
      const response = await respond("GET /v1/live", { signal });
      connected.value = true;
      pause = 500;
      await read(response.body!, signal);
    } catch {
      // The next try tells whether it was more than a hiccup.
    }
    connected.value = false;
    await new Promise((done) => setTimeout(done, pause));
    pause = Math.min(pause * 2, maxPause);
  }
}

async function read(body: NonNullable<Response["body"]>, signal: AbortSignal) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done || signal.aborted) return;
    const events = (pending + value).split("\n\n");
    pending = events.pop()!;
    for (const event of events) take(event);
  }
}

function take(event: string) {
  let name = "message";
  let data = "";
  for (const line of event.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data += line.slice(5);
  }
  if (!data) return;
  if (name === "status") status.value = JSON.parse(data);
  if (name === "tasks") taskChanges.value++;
}
