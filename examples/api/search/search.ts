import { Client } from "earshot";

const client = new Client();
const { result } = await client.ask(
  "websearch",
  { query: "trail running shoes", country: "DE", include: { searchoverview: {} } },
  { idempotencyKey: "shoes-1" },
);
console.log(result.organicResults[0]?.link);
