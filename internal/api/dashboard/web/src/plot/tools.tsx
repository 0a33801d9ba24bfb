// The data of a chart as a table and as a CSV file, and the chart as a picture.
import { useState } from "preact/hooks";
import { csvFile, download, type CSVValue } from "../file";
import { Button, Problem, useAction } from "../ui";
import { flagWords, lettered, linesOf, type Line, type PlotProps } from "./chart";
import { savePNG, saveSVG, svgOf } from "./picture";

type ToolsProps = PlotProps & { at: number };

export function Tools({ at, ...props }: ToolsProps) {
  const { caption, about = "", chart, range } = props;
  const { points } = chart;
  const [asTable, setAsTable] = useState(false);
  const say = props.say ?? chart.show;
  const { busy, error, run } = useAction(async (save: (svg: string, name: string) => unknown) => {
    const legend = linesOf(chart).map(({ rows, ...line }) => {
      const { value, interval } = rows[at] ?? {};
      const ends = range && interval ? ` (${range(interval.rerun)})` : "";
      return { ...line, value: value == null ? "–" : say(value) + ends };
    });
    const notes = lettered(points).map(({ letter, label, flags }) => `${letter} ${label}: ${flagWords(flags)}`);
    const period = `${points[0].label} – ${points[points.length - 1].label}`;
    const words = {
      title: `${caption}, ${period}`,
      about: `${about} Legend: ${points[at].label}.`.trim(),
      legend,
      notes,
    };
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
function csvRows({ chart, unit }: PlotProps): CSVValue[][] {
  const columns = linesOf(chart).map((line) => ({ ...line, ranged: line.rows.some((row) => row?.interval) }));
  return [
    [
      unit,
      ...columns.flatMap(({ name, ranged }) => [name, ...(ranged ? [`${name} (low)`, `${name} (high)`] : [])]),
      "Notes",
    ],
    ...chart.points.map(({ label, gap, flags }, i) => [
      label,
      ...columns.flatMap(({ rows, ranged }) => {
        const { value, interval } = rows[i] ?? {};
        return ranged ? [value, interval?.rerun[0], interval?.rerun[1]] : [value];
      }),
      gap ?? flagWords(flags),
    ]),
  ];
}

function PlotTable({ caption, chart, unit, address, range, ...props }: PlotProps) {
  const { points, before } = chart;
  const columns = linesOf(chart);
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
