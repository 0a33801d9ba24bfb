import { Client } from "earshot";

const client = new Client();
let listed = 0;
for await (const answer of client.answers.list("history", { target: "chatassistant/US", outcome: "answered" })) {
  console.log(answer.id, answer.prompt);
  if (++listed === 3) break;
}
