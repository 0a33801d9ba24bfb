import { Client } from "earshot";

const admin = new Client({ key: process.env.ADMIN_KEY });
const test = await admin.webhooks.test({ url: process.env.HOOK_URL ?? "" });
console.log(test.status);
const client = new Client();
for await (const newest of client.deliveries.list()) {
  console.log(newest.url);
  break;
}
