import { readFile } from "node:fs/promises";
import { Client } from "earshot";

const client = new Client();
const { tracker } = await client.trackers.apply("sport", await readFile("sport.yaml", "utf8"));
console.log(`${tracker.name}: version ${tracker.version}`);
