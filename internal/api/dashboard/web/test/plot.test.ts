import assert from "node:assert/strict";
import test from "node:test";
import { aligned, layoutOf, pathsOf, runs, stacked, ticksOf, type Chart, type Line } from "../src/plot/chart";
import { axisLabels, cut, flagWidth, flow, labelSize, spread, textWidth } from "../src/plot/labels";
import { afterKey, isolate, selected, toggle } from "../src/plot/shown";
import { marked, shiftBefore, weekPoint } from "../src/trackers/marks";

const names = [
  "Ollaro",
  "Kestrin Outdoor Equipment and Footwear International GmbH & Co. KG",
  "شركة الأحذية الرياضية المحدودة للتجارة العالمية",
  "חברת נעלי ריצה בינלאומית בעירבון מוגבל",
  "株式会社ランニングシューズインターナショナル東京支店",
];

const line = (name: string, values: (number | null)[]): Line => ({
  name,
  color: "red",
  shape: "●",
  rows: values.map((value) => ({ value, interval: value === null ? null : { rerun: [value / 2, value] } })),
});

function chartOf(count: number, lines = names.length): Chart {
  const flag = (word: string) => ({ word, text: word });
  return {
    points: Array.from({ length: count }, (_, i) => ({
      key: String(i),
      label: `${1 + (i % 28)} Nov 2026`,
      flags: i % 5 === 2 ? [flag("Shift"), flag("Alert")] : i % 11 === 3 ? [flag("Break")] : [],
    })),
    lines: names.slice(0, lines).map((name, k) => line(name, Array(count).fill(0.4 + k / 500))),
    levels: [0.4, 0.41].map((value) => ({ value, text: `before ${value}`, color: "red" })),
    least: 0.01,
    show: (value) => `${Math.round(100 * value)} %`,
  };
}

/** Fails unless intervals, sorted by their centers, are apart and within bounds. */
function apart(what: string, boxes: { x: number; size: number }[], low: number, high: number) {
  const sorted = boxes.map(({ x, size }) => [x - size / 2, x + size / 2]).sort(([a], [b]) => a - b);
  sorted.forEach(([from, to], i) => {
    assert.ok(from >= low - 0.01 && to <= high + 0.01, `${what}: ${from}–${to} is outside of ${low}–${high}`);
    assert.ok(i === 0 || sorted[i - 1][1] <= from + 0.01, `${what}: ${sorted[i - 1]?.[1]} overlaps ${from}`);
  });
}

test("keep all labels of a chart apart at every width", () => {
  for (let width = 240; width <= 2000; width += 7) {
    for (const count of [1, 2, 7, 28, 90]) {
      const chart = chartOf(count);
      const layout = layoutOf(chart, width, 320);
      const { box } = layout;
      const what = `${count} points in ${width} px`;
      const dates = layout.axis.map(({ x, text }) => ({ x, size: textWidth(text) }));
      apart(`dates of ${what}`, dates, 0, width);
      assert.ok(dates.length > 0, `no dates for ${what}`);
      const flags = layout.flagLabels.map(({ x, width: size }) => ({ x, size }));
      apart(`flags of ${what}`, flags, box.left, box.right);
      const heights = (ys: (number | undefined)[]) => ys.map((y) => ({ x: y!, size: labelSize }));
      apart(`ends of ${what}`, heights(layout.endLabels.map(({ y }) => y)), 0, box.bottom + labelSize);
      apart(`levels of ${what}`, heights(layout.levels.map(({ labelY }) => labelY)), 0, box.bottom);
      apart(`scale of ${what}`, heights(layout.ticks.map(layout.y)), 0, 320);
      for (const { line: of, text } of layout.endLabels) {
        assert.ok(box.right + 8 + textWidth(of.shape + text) <= width, `${text} does not fit into ${what}`);
        assert.ok(/\u2068.+\u2069/u.test(text));
      }
      assert.equal(layout.endLabels.length, width < 640 ? 0 : names.length);
      assert.ok(box.right - box.left > width / 3);
    }
  }
});

test("cut long names with an ellipsis", () => {
  assert.equal(cut("Ollaro", 100), "Ollaro");
  for (const name of names.slice(1)) {
    const short = cut(name, 100);
    assert.ok(short.endsWith("…") && name.startsWith(short.slice(0, -1)) && textWidth(short) <= 100, short);
  }
  assert.ok(textWidth("東京") > 2 * labelSize);
});

test("spread labels, and drop the last ones if there is no room", () => {
  assert.deepEqual(spread([10, 11, 90], 10, 0, 100), [10, 20, 90]);
  assert.deepEqual(spread([98, 97], 10, 0, 100), [100, 90]);
  assert.deepEqual(spread([5, 5, 5], 10, 0, 10), [0, 10, undefined]);
  assert.deepEqual(axisLabels([], [], 0, 100), []);
  assert.ok(flagWidth("A Shift") > flagWidth("A"));
  assert.deepEqual(flow([60, 60, 30], 100, 5), [
    { x: 0, row: 0 },
    { x: 0, row: 1 },
    { x: 65, row: 1 },
  ]);
});

test("choose the ticks of a scale", () => {
  assert.deepEqual(ticksOf(7, 5, 1), [0, 2, 4, 6, 8]);
  assert.deepEqual(
    ticksOf(0.4, 5, 0.01).map((tick) => tick.toFixed(1)),
    ["0.0", "0.1", "0.2", "0.3", "0.4"],
  );
  assert.deepEqual(ticksOf(1, 5, 1), [0, 1]);
  assert.deepEqual(stacked([line("a", [1, 2]), line("b", [3, null])]), [
    [1, 2],
    [4, 2],
  ]);
});

test("stop lines at gaps and breaks", () => {
  const { points } = chartOf(6, 1);
  for (const point of points) point.flags = [];
  points[2].gap = "missed";
  points[4].flags = [{ word: "Break", text: "new model", restart: true }];
  const { rows } = line("a", [1, 1, 1, 1, 1, 1]);
  assert.deepEqual(runs(points, rows), [[0, 1], [3], [4, 5]]);
  rows[5]!.provisional = true;
  const paths = pathsOf({ ...chartOf(6, 1), points }, rows, { x: (i) => i, y: (value) => value });
  assert.equal(paths.solid, "M0.0 1.0L1.0 1.0");
  assert.equal(paths.dashed, "M4.0 1.0L5.0 1.0");
  assert.equal(paths.dots, "M3.0 1.0h.01");
});

test("align the previous period with this one", () => {
  const day = 86_400_000;
  assert.deepEqual(aligned([28 * day, 29 * day, 31 * day], [0, 3 * day + 60_000], 28 * day), [0, undefined, 1]);
  assert.deepEqual(aligned([7 * day], [], 7 * day), [undefined]);
});

test("isolate, hide and show lines", () => {
  const all = ["a", "b", "c"];
  const alone = isolate({ names: ["a", "b"] }, "b", all);
  assert.deepEqual(alone, { names: ["b"], rest: ["a", "b"] });
  assert.deepEqual(isolate(alone, "b", all), { names: ["a", "b"] });
  assert.deepEqual(isolate({ names: ["c"] }, "c", all), { names: all });
  assert.deepEqual(toggle({ names: all }, "b"), { names: ["a", "c"] });
  assert.deepEqual(toggle(alone, "c"), { names: ["b", "c"] });
  assert.deepEqual(toggle({ names: ["a"] }, "a"), { names: ["a"] });
});

test("move the cursor with keys", () => {
  const size = { count: 5, lines: 2, first: 4 };
  const key = (name: string, shiftKey = false) => ({ key: name, shiftKey });
  const before = afterKey({}, key("ArrowLeft", true), size)!;
  assert.deepEqual(selected(before), [3, 4]);
  assert.deepEqual(selected(afterKey(before, key("Home", true), size)!), [0, 4]);
  assert.equal(selected(afterKey(before, key("ArrowLeft"), size)!), undefined);
  assert.equal(afterKey({ at: 4 }, key("ArrowRight"), size)!.at, 4);
  assert.equal(afterKey({ line: 1 }, key("ArrowDown"), size)!.line, 0);
  assert.deepEqual(afterKey(before, key("Escape"), size), {});
  assert.equal(afterKey({}, key("x"), size), undefined);
});

test("mark the points of alerts and breaks", () => {
  const weeks = ["2026-W01", "2026-W02", "2026-W53"].map(weekPoint);
  assert.deepEqual(weeks[0].days, ["2025-12-29", "2026-01-04"]);
  assert.deepEqual(weeks[2].days, ["2026-12-28", "2027-01-03"]);
  const mark = (at: string, brand?: string) => ({ at: Date.parse(at), word: "Shift", text: at, brand });
  const marks = [mark("2025-12-01", "Ollaro"), mark("2025-12-20", "Ollaro"), mark("2025-12-21"), mark("2026-01-05")];
  assert.deepEqual(
    marked(weeks, marks).map(({ flags }) => flags!.length),
    [0, 1, 0],
  );
  assert.equal(shiftBefore(weeks, marks, "Ollaro", Date.parse("2025-12-10"))!.text, "2025-12-20");
  assert.equal(shiftBefore(weeks, marks, "Ollaro", Date.parse("2025-12-24")), undefined);
});
