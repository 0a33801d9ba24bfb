import { Client } from "earshot";

const client = new Client();
const link = await client.shares.create({
  tracker: "board",
  days: 28,
  expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  password: "a long one",
});
console.log(link.url);
