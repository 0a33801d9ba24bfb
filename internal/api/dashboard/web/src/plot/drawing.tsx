// Draws a chart as SVG. All colors are attributes and not styles, so that the same drawing can be saved as a file.
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { flagWords, layoutOf, pathsOf, type Chart, type Layout, type Line } from "./chart";
import { labelSize } from "./labels";
import "./plot.css";

/** A line with its band; dashed where it is provisional. */
function Drawn({ chart, line, layout }: { chart: Chart; line: Line; layout: Layout }) {
  const { band, solid, dashed, dots } = pathsOf(chart, line.rows, layout);
  const width = line.lead ? 2.5 : 2;
  return (
    <g fill="none" stroke={line.color} stroke-width={width} stroke-linejoin="round">
      {band && <path d={band} fill={line.color} fill-opacity={line.lead ? 0.2 : 0.1} stroke="none" />}
      {solid && <path d={solid} />}
      {dashed && <path d={dashed} stroke-dasharray="3 4" />}
      {dots && <path d={dots} stroke-width="6" stroke-linecap="round" />}
    </g>
  );
}

/** The bars of one line on top of the bars of the lines before it. */
function bars(tops: number[], below: number[] | undefined, { x, y, step }: Layout): string {
  const half = 0.38 * step;
  return tops
    .map((top, i) => `M${x(i) - half} ${y(below?.[i] ?? 0)}V${y(top)}H${x(i) + half}V${y(below?.[i] ?? 0)}Z`)
    .join("");
}

/** Everything in a chart that does not follow the pointer. */
export function Drawing({ chart, layout }: { chart: Chart; layout: Layout }) {
  const hatch = useId();
  const { box, x, y, step } = layout;
  const { points, lines, dots, before } = chart;
  return (
    <g font-size={labelSize} fill="var(--soft)">
      <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path d="M0 0V6" stroke="var(--line)" stroke-width="3" />
      </pattern>
      {layout.ticks.map((tick) => (
        <g key={tick}>
          <path d={`M${box.left} ${y(tick)}H${box.right}`} stroke="var(--line)" />
          <text x={box.left - 8} y={y(tick)} dy=".35em" text-anchor="end">
            {chart.show(tick)}
          </text>
        </g>
      ))}
      <g class="axis-x">
        {layout.axis.map((label) => (
          <text key={label.i} x={label.x} y={box.bottom + 17} text-anchor="middle">
            {label.text}
          </text>
        ))}
      </g>
      {points.map(
        ({ gap }, i) =>
          gap && (
            <rect
              key={i}
              x={box.left + i * step}
              y={box.top}
              width={step}
              height={box.bottom - box.top}
              fill={`url(#${hatch})`}
              stroke="var(--line)"
            />
          ),
      )}
      {layout.flags.map(({ i, x: at }) => (
        <path
          key={i}
          d={`M${at} ${box.top}V${box.bottom}`}
          stroke="var(--ink)"
          stroke-width="1.5"
          stroke-dasharray="4 4"
        />
      ))}
      {before && (
        <path
          d={Object.values({ ...pathsOf(chart, before.rows, layout), band: "" }).join("")}
          fill="none"
          stroke={before.color}
          stroke-opacity=".5"
          stroke-width="1.25"
        />
      )}
      {layout.levels.map(({ y: at, color, text }) => (
        <path key={text} d={`M${box.left} ${at}H${box.right}`} stroke={color} stroke-dasharray="8 5" />
      ))}
      {chart.stacked
        ? lines.map((line, k) => (
            <path key={line.name} d={bars(layout.sums[k], layout.sums[k - 1], layout)} fill={line.color} />
          ))
        : [...lines].reverse().map((line) => <Drawn key={line.name} chart={chart} line={line} layout={layout} />)}
      {dots && (
        <path
          d={dots.rows.map((row, i) => (row?.value == null ? "" : `M${x(i)} ${y(row.value)}h.01`)).join("")}
          stroke={dots.color}
          stroke-width="5"
          stroke-opacity=".55"
          stroke-linecap="round"
        />
      )}
      <g paint-order="stroke" stroke="var(--paper)" stroke-width="4" stroke-linejoin="round">
        {layout.levels.map(
          ({ text, labelY }) =>
            labelY !== undefined && (
              <text key={text} x={box.left + 6} y={labelY} fill="var(--ink)">
                {text}
              </text>
            ),
        )}
      </g>
      {layout.endLabels.map(({ line, y: at, text }) => (
        <text key={line.name} x={box.right + 8} y={at} dy=".35em" fill="var(--ink)">
          <title>{line.name}</title>
          <tspan fill={line.color}>{line.shape}</tspan>
          {text}
        </text>
      ))}
      {layout.flagLabels.map(({ i, x: at, text, width }) => (
        <a key={i} href={layout.flags[i].flags.find(({ href }) => href)?.href} tabindex={-1}>
          <title>{flagWords(layout.flags[i].flags)}</title>
          <rect x={at - width / 2} y="2" width={width} height="20" rx="4" fill="var(--ink)" />
          <text x={at} y="12" dy=".35em" text-anchor="middle" fill="var(--paper)">
            {text}
          </text>
        </a>
      ))}
    </g>
  );
}

/** Measures the width of an element. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current!;
    const measure = () => setWidth(Math.floor(box.clientWidth));
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    measure();
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** A chart that does not react to the pointer. */
export function StillPlot({ chart, height }: { chart: Chart; height: number }) {
  const { ref, width } = useWidth();
  const drawing = useMemo(
    () => width > 0 && <Drawing chart={chart} layout={layoutOf(chart, width, height)} />,
    [chart, width, height],
  );
  return (
    <div ref={ref} class="still-plot" style={{ height: `${height}px` }}>
      <svg class="drawing" width={width} height={height} aria-hidden="true" focusable="false">
        {drawing}
      </svg>
    </div>
  );
}

const sparkWidth = 96;
const sparkHeight = 26;

/** A small chart of one line, without axes. */
export function SparkPlot({ line, highest }: { line: Line; highest?: number }) {
  const chart: Chart = {
    points: line.rows.map((_, i) => ({ key: String(i), label: "" })),
    lines: [line],
    highest,
    least: 0.1,
    show: String,
  };
  const layout = layoutOf(chart, sparkWidth, sparkHeight, true);
  return (
    <svg class="spark" width={sparkWidth} height={sparkHeight} aria-hidden="true" focusable="false">
      <Drawn chart={chart} line={line} layout={layout} />
    </svg>
  );
}
