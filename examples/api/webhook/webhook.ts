import { Client } from "earshot";

const client = new Client();
const task = await client.tasks.submit(
  "chatassistant",
  { prompt: "best running shoes", country: "DE" },
  { webhook: { url: process.env.HOOK_URL ?? "" } },
);
console.log(task.record.task.status);
