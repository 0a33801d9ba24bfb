import { Client } from "earshot";

const client = new Client();
const report = await client.trackers.sources("history", { by: "domain", limit: 10 });
for (const { target, domain, type, citations } of report.rows) {
  console.log(`${target} ${domain} (${type}): ${citations}`);
}
