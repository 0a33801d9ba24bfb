// Runs the queries of report.sql on the Parquet files in the current folder, and prints their rows as JSON.
// The command line of DuckDB does the same: duckdb < report.sql
import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const db = await (await DuckDBInstance.create()).connect();
const queries = await db.extractStatements(readFileSync(new URL("report.sql", import.meta.url), "utf8"));
for (let i = 0; i < queries.count; i++) {
  const query = await queries.prepare(i);
  console.log(JSON.stringify((await query.runAndReadAll()).getRowObjectsJson()));
}
