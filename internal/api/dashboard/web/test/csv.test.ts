import assert from "node:assert/strict";
import test from "node:test";
import { csvFile } from "../src/file";
import { parseCsv, separatorOf, textOf } from "../src/tasks/csv";

const fields = (text: string, separator?: string) => parseCsv(text, separator).map((record) => record.fields);

test("records and fields", () => {
  assert.deepEqual(fields("a,b\r\n1,2", ","), [["a", "b"], ["1", "2"]]);
  assert.deepEqual(fields("a;b\r1;2\r", ";"), [["a", "b"], ["1", "2"]]);
  assert.deepEqual(fields("a,,b\n", ","), [["a", "", "b"]]);
  assert.deepEqual(fields("\uFEFFa,b", ","), [["a", "b"]], "the mark of UTF-8 is no letter");
  assert.deepEqual(fields("one, two\n\n  \nthree"), [["one, two"], ["three"]], "without a separator a line is one field, and empty lines are skipped");
});

test("quotes", () => {
  assert.deepEqual(fields('"a,b";c', ";"), [["a,b", "c"]]);
  assert.deepEqual(fields('"say ""hi""\nthere"'), [['say "hi"\nthere']]);
  assert.deepEqual(fields('5" pipe, steel'), [['5" pipe, steel']], "a quote counts at the start of a field only");
});

test("lines are counted as the file has them", () => {
  assert.deepEqual(parseCsv('a\n"two\r\nlines"\nb').map(({ line }) => line), [1, 2, 4]);
});

test("faults", () => {
  assert.equal(parseCsv('"never closed\nb')[0].fault, "has a quote that is never closed");
  const [bad, good] = parseCsv('"a"b,c\nd,e', ",");
  assert.equal(bad.fault, "has text after a closing quote");
  assert.deepEqual(good.fields, ["d", "e"]);
});

test("the separator of a file", () => {
  assert.equal(separatorOf("a,b;c,d"), ",");
  assert.equal(separatorOf("prompt;country\nx, y;DE"), ";");
  assert.equal(separatorOf("prompt\tcountry"), "\t");
  assert.equal(separatorOf("prompt"), ",");
});

test("the encodings of spreadsheets", async () => {
  const utf16 = new Uint8Array([0xff, 0xfe, 0xe9, 0x00]);
  assert.equal(await textOf(new Blob([utf16])), "é");
  assert.equal(await textOf(new Blob(["é"])), "é");
  assert.equal(await textOf(new Blob([new Uint8Array([0xe9])])), "é", "what is no UTF-8 is what older spreadsheets write");
});

test("a CSV file that no spreadsheet takes for formulas", async () => {
  const text = await csvFile([["name", "n"], ["=1+1", -5], ['a "b", c', null], ["-x\ny", undefined]]).text();
  assert.equal(text, 'name,n\r\n\'=1+1,-5\r\n"a ""b"", c",\r\n"\'-x\ny",\r\n');
});
