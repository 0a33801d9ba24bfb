// The worker that all tabs share. It holds one stream for all tabs, because without HTTP/2 a browser opens only six
// connections to a server. A tab sends the ID of its key to listen, and "" to stop.
import { follower, type News } from "./stream";

const listeners = new Set<MessagePort>();
/** The newest state, for tabs that connect later. */
let state: News = {};

const open = follower(new URL("../v1/live", self.location.href), (news) => {
  if (news.connected !== undefined) state = { ...state, connected: news.connected };
  if (news.status) state = { ...state, status: news.status };
  for (const port of listeners) port.postMessage(news);
});

let followed = "";

function hear(port: MessagePort, key: string) {
  if (key) listeners.add(port);
  else listeners.delete(port);
  const wanted = listeners.size ? key || followed : "";
  if (wanted !== followed) state = {};
  followed = wanted;
  open(followed);
  if (key) port.postMessage(state);
}

(self as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }: MessageEvent<string>) => hear(port, data);
};
