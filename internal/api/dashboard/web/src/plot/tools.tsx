// The data of a chart as a table and as a CSV file, and the chart as a picture.
import { useState } from "preact/hooks";
import { csvFile, download, type CSVValue } from "../file";
import { Button, Problem, useAction } from "../ui";
import { lettered, type Line, type PlotProps } from "./chart";
import { savePNG, saveSVG, svgOf } from "./picture";

type ToolsProps = PlotProps & { at: number };

export function Tools({ at, ...props }: ToolsProps) {
  const { caption, about = "", chart, range } = props;
  const { points, lines, before } = chart;
  const [asTable, setAsTable] = useState(false);
  const say = props.say ?? chart.show;
  const { busy, error, run } = useAction(async (save: (svg: string, name: string) => unknown) => {
    const legend = [...lines, ...(before ? [before] : [])].map(({ rows, ...line }) => {
      const { value, interval } = rows[at] ?? {};
      const ends = range && interval ? ` (${range(interval.rerun)})` : "";
      return { ...line, value: value == null ? "–" : say(value) + ends };
    });
    const notes = lettered(points).map(
      ({ letter, label, flags }) =>
        `${letter} ${label}: ${flags.map(({ word, text }) => `${word}: ${text}`).join("; ")}`,
    );
    const period = `${points[0].label} – ${points[points.length - 1].label}`;
    const words = { title: `${caption}, ${period}`, about: `${about} Legend: ${points[at].label}.`, legend, notes };
    await save(svgOf(chart, words), caption);
  });
  return (
    <>
      <div class="plot-tools">
        <span class="faint mouse-only">{props.zoom && "Drag to zoom. Click a point to see its answers."}</span>
        <Button text="Show as table" class="small" aria-expanded={asTable} onClick={() => setAsTable(!asTable)} />
        <Button text="CSV" class="small" onClick={() => download(csvFile(csvRows(props)), `${caption}.csv`)} />
        <Button text="SVG" class="small" disabled={busy} onClick={() => run(saveSVG)} />
        <Button text="PNG" class="small" disabled={busy} onClick={() => run(savePNG)} />
      </div>
      <Problem error={error} />
      {asTable && <PlotTable {...props} />}
    </>
  );
}

/** Returns the exact values of a chart: a row for each point, and for each line its value and its range, if any. */
export function csvRows({ chart: { points, lines, before }, unit }: Pick<PlotProps, "chart" | "unit">): CSVValue[][] {
  const columns = [...lines, ...(before ? [before] : [])].flatMap(
    ({ name, rows }): [string, (i: number) => CSVValue][] => {
      const value: [string, (i: number) => CSVValue] = [name, (i) => rows[i]?.value];
      const end = (k: number) => (i: number) => rows[i]?.interval?.rerun[k];
      return rows.some((row) => row?.interval)
        ? [value, [`${name} (low)`, end(0)], [`${name} (high)`, end(1)]]
        : [value];
    },
  );
  const notes = ({ gap, flags = [] }: (typeof points)[number]) =>
    [...(gap ? [gap] : []), ...flags.map(({ word, text }) => `${word}: ${text}`)].join("; ");
  return [
    [unit, ...columns.map(([name]) => name), "Notes"],
    ...points.map((point, i) => [point.label, ...columns.map(([, read]) => read(i)), notes(point)]),
  ];
}

function PlotTable({ caption, chart, unit, address, range, ...props }: PlotProps) {
  const { points, lines, before } = chart;
  const columns = [...lines, ...(before ? [before] : [])];
  const cell = ({ rows }: Line, i: number) =>
    rows[i]?.value == null ? (
      "–"
    ) : (
      <>
        {(props.say ?? chart.show)(rows[i]!.value!)}{" "}
        {range && rows[i]!.interval && <span class="faint">{range(rows[i]!.interval!.rerun)}</span>}
      </>
    );
  return (
    <div class="scroll table-box" role="region" tabIndex={0} aria-label={`${caption} as a table`}>
      <table>
        <caption class="hidden-words">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            {columns.map(({ name }) => (
              <th key={name} scope="col" class="number">
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map((point, i) => (
            <tr key={point.key}>
              <th scope="row">
                {address && !point.gap ? <a href={address(i)}>{point.label}</a> : point.label}
                {point.flags?.map(({ word }) => ` · ${word}`)}
              </th>
              {columns.map((line) => (
                <td key={line.name} class="number">
                  {point.gap && line !== before ? point.gap : cell(line, i)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
