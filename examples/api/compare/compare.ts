import { Client } from "earshot";

const client = new Client();
const report = await client.trackers.compare("history", { metric: "visibility", having: "brand:Ollaro" });
for (const row of report.rows) console.log(`${row.verdict}: ${row.summary}`);
