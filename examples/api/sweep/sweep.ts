import { setTimeout } from "node:timers/promises";
import { Client } from "earshot";

const client = new Client();
let { sweep } = await client.sweeps.start("sport", { idempotencyKey: "launch-day" });
while (sweep.state === "running") {
  await setTimeout(1000);
  sweep = await client.sweeps.get("sport", sweep.id);
}
console.log(`${sweep.state}: ${sweep.progress.answered} of ${sweep.progress.planned} answered`);
