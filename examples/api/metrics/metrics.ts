import { Client } from "earshot";

const client = new Client();
const percent = (share: number | null | undefined) => `${Math.round(100 * (share ?? NaN))}%`;
const report = await client.trackers.metrics("history", { metric: "visibility", by: "brand" });
for (const { brand, value, interval } of report.rows) {
  console.log(`${brand}: ${percent(value)}, ${percent(interval?.rerun?.[0])} to ${percent(interval?.rerun?.[1])}`);
}
