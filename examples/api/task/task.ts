import { Client } from "earshot";

const client = new Client();
const task = await client.tasks.submit(
  "chatassistant",
  { prompt: "best running shoes", country: "DE" },
  { priority: 5, idempotencyKey: "shoes-de-1" },
);
const answer = await task.wait();
console.log(task.record.task.status);
console.log(answer.text);
