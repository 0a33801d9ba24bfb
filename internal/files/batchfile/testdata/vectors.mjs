// Reads the files of the vectors as the dashboard does, and prints what becomes of
// them. batchfile.mjs is its code, bundled.
import { readFileSync } from "node:fs";
import { Keys, payloadFor, questionOf, readObjects, readTable } from "./batchfile.mjs";

const { textFields, files } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const taskTypes = Object.fromEntries(Object.keys(textFields).map((name) => [name.replaceAll("/", "_").toUpperCase(), name]));

console.log(JSON.stringify(files.map(({ format, run = "", provider, country, text }) => {
  const keys = new Keys(run);
  return (format === "ndjson" ? readObjects(text) : readTable(text)).map(({ line, fields, fault }) => {
    const question = fault ?? questionOf(fields);
    if (typeof question === "string") throw new Error(`line ${line} ${question}`);
    const name = question.provider ? taskTypes[question.provider] ?? question.provider : provider;
    const payload = payloadFor(question, textFields[name], country);
    const { priority, webhook } = question;
    return { line, provider: name, priority, webhook, key: question.key ?? keys.next(name, payload), payload };
  });
})));
