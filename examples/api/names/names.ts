import { Client } from "earshot";

const client = new Client();
const tried = await client.trackers.tryNames("history", {
  brand: "Kestrin",
  names: ["Kestrin", "Kestrin Pro"],
  limit: 200,
});
for (const name of tried.names) console.log(`${name.name}: ${name.hits}`);
