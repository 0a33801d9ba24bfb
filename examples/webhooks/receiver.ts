import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { InvalidSignature, verifyWebhook } from "earshot";

const secret = process.env.EARSHOT_WEBHOOK_SECRET ?? "";
const seen = new Set<unknown>(); // in production, a table that survives a restart

const server = createServer(async (request, response) => {
  try {
    const { headers } = request;
    const body = await text(request);
    const event = await verifyWebhook(headers, body, secret);
    response.writeHead(204).end();
    const id = headers["webhook-id"];
    if (!seen.has(id) && "task" in event) console.log(event.task.id, event.task.status);
    seen.add(id);
  } catch (error) {
    response.writeHead(error instanceof InvalidSignature ? 401 : 400).end();
  }
});
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
