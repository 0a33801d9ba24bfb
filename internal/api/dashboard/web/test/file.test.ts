import assert from "node:assert/strict";
import test from "node:test";
import { csvFile, textOf } from "../src/file";

test("decode the encodings of spreadsheets", async () => {
  const utf16 = new Uint8Array([0xff, 0xfe, 0xe9, 0x00]);
  assert.equal(await textOf(new Blob([utf16])), "é");
  assert.equal(await textOf(new Blob(["é"])), "é");
  assert.equal(await textOf(new Blob([new Uint8Array([0xe9])])), "é", "a file that is not UTF-8 is windows-1252");
});

test("escape formulas in CSV files", async () => {
  const text = await csvFile([
    ["name", "n"],
    ["=1+1", -5],
    ['a "b", c', null],
    ["-x\ny", undefined],
  ]).text();
  assert.equal(text, 'name,n\r\n\'=1+1,-5\r\n"a ""b"", c",\r\n"\'-x\ny",\r\n');
});
