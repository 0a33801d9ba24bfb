// Follows the live stream, and updates the balance, the slots, the queue and the count of changed tasks.
import { effect, signal } from "@preact/signals";
import { base, call } from "./api";
import { key } from "./session";
import { connected, status, taskChanges } from "./state";
import { follower, type News } from "./stream";

/** Whether the page is in use. A page in the back/forward cache is not. */
const inUse = signal(true);

/** Follows the stream while somebody is signed in and the page is in use. */
export function follow() {
  const listen = "SharedWorker" in window ? shared() : alone();
  addEventListener("pagehide", () => {
    inUse.value = false;
  });
  addEventListener("pageshow", () => {
    inUse.value = true;
  });
  effect(() => {
    void key.value;
    status.value = undefined;
  });
  effect(() => {
    connected.value = false;
    listen(inUse.value ? key.value : "");
  });
}

/** Listens to the stream that all browser tabs share. */
function shared() {
  const { port } = new SharedWorker(new URL("assets/live.js", base), { type: "module", name: "earshot" });
  port.onmessage = ({ data }: MessageEvent<News>) => take(data);
  return (wanted: string) => port.postMessage(wanted);
}

/** Opens a stream for this tab, in browsers without shared workers. Only the front tab keeps its stream. */
function alone() {
  addEventListener("visibilitychange", () => {
    inUse.value = !document.hidden;
  });
  return follower(new URL("v1/live", base), take);
}

function take(news: News) {
  if (!inUse.value || !key.value) return;
  if (news.connected !== undefined) connected.value = news.connected;
  if (news.status) status.value = news.status;
  if (news.tasks) taskChanges.value++;
  if (news.refused) void call("GET /v1/credits").catch(() => undefined); // the error ends the session and says why
}
