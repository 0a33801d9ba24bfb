import { writeFile } from "node:fs/promises";
import { Client } from "earshot";

const client = new Client();
const table = await client.trackers.export("history", { table: "mentions", format: "csv" });
await writeFile("mentions.csv", table.body ?? "");
