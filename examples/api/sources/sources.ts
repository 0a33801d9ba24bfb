import { Client } from "earshot";

const client = new Client();
const report = await client.trackers.sources("history", { by: "domain", limit: 10 });
for (const row of report.rows) {
  if (row.target === "*") console.log(`${row.domain} (${row.type}): ${row.citations}`);
}
