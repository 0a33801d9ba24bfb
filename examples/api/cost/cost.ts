import { readFile } from "node:fs/promises";
import { Client } from "earshot";

const client = new Client();
const definition = await readFile("sport.yaml", "utf8");
const { tracker } = await client.trackers.apply("sport", definition, { dryRun: true });
console.log(`${tracker.cost.sweep} credits a sweep, ${tracker.cost.month} a month`);
