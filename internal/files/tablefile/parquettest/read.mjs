// Prints the rows of a Parquet file, one JSON object a line, as a reader sees them that
// shares no code with the writer.
import { asyncBufferFromFile, parquetReadObjects } from "../../../api/dashboard/web/node_modules/hyparquet/src/node.js";
import { decompress } from "../../../api/dashboard/web/node_modules/fzstd/esm/index.mjs";

const file = await asyncBufferFromFile(process.argv[2]);
const rows = await parquetReadObjects({ file, compressors: { ZSTD: (input) => decompress(input) } });
for (const row of rows) {
  console.log(JSON.stringify(row, (_, value) => (typeof value === "bigint" ? Number(value) : value === undefined ? null : value)));
}
