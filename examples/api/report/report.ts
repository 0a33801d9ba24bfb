import { writeFile } from "node:fs/promises";
import { Client } from "earshot";

const client = new Client();
const report = await client.trackers.report("history", { format: "md" });
await writeFile("report.md", report.body ?? "");
