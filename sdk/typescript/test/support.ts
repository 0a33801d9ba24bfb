import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { Client, type ClientOptions } from "earshot";

/** Starts a server for the time of the tests, and returns its URL. */
export async function serve(handler: RequestListener): Promise<string> {
  const { server, url } = await listen(handler);
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return url;
}

/** Returns the URL of a server that has stopped. */
export async function closedPort(): Promise<string> {
  const { server, url } = await listen();
  server.close();
  await once(server, "close");
  return url;
}

async function listen(handler?: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Answers one request. */
export type Reply = (response: ServerResponse) => void;

/** Answers with a status, a body and headers. */
export function says(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body);
}

/** Answers with an error of the service. */
export function fails(
  status: number,
  code: string,
  details: unknown = null,
  headers: Record<string, string> = {},
): Reply {
  const error = { code, message: "no", details, requestId: "r-1" };
  return says(status, JSON.stringify({ success: false, error }), headers);
}

/** Closes the connection after the request. */
export const breaks: Reply = (response) => response.destroy();

/** Closes the connection in the middle of the response. */
export const cuts: Reply = (response) => {
  response.writeHead(200, { "Content-Length": "100" });
  response.write("{", () => response.destroy());
};

/** A request as it arrived. */
export interface Received {
  line: string;
  body: string;
  headers: IncomingMessage["headers"];
  at: number;
}

/** Returns a client of a server that gives these replies in turn, and then always the last one. */
export async function replying(replies: Reply[], options: ClientOptions = {}) {
  const received: Received[] = [];
  const url = await serve(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    received.push({ line: `${request.method} ${request.url}`, body, headers: request.headers, at: performance.now() });
    replies[Math.min(received.length, replies.length) - 1]!(response);
  });
  return { client: new Client({ url, key: "ear_live_key", ...options }), received, url };
}
