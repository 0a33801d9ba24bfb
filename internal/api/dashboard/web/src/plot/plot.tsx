// A chart for mouse, keyboard and screen reader. Its legend shows the values of one point: the newest, or the one under
// the pointer or chosen with the arrow keys.
import { useMemo, useState } from "preact/hooks";
import { flagWords, layoutOf, linesOf, type Chart, type Layout, type Line, type PlotProps } from "./chart";
import { Drawing, useWidth } from "./drawing";
import { Legend, Notes } from "./legend";
import { afterKey, selected, type Cursor } from "./shown";
import { Tools } from "./tools";

export function Plot(props: PlotProps) {
  const { caption, about, chart, address, zoom, height = 320 } = props;
  const { points, lines } = chart;
  const { ref, width } = useWidth();
  const layout = useMemo(() => layoutOf(chart, width, height), [chart, width, height]);
  const drawing = useMemo(() => width > 0 && <Drawing chart={chart} layout={layout} />, [layout]);
  const [cursor, setCursor] = useState<Cursor>({});
  const newest = Math.max(0, layout.newest);
  // The cursor may be older than the points.
  const within = (i: number | undefined) => i && Math.min(i, points.length - 1);
  const at = within(cursor.at) ?? newest;
  const point = points[at];
  const line = lines[cursor.line ?? -1];
  const marked = selected({ at: within(cursor.at), anchor: within(cursor.anchor) });
  const act = () => {
    if (marked && zoom) zoom(...marked);
    else if (address && !point.gap) location.hash = address(at, line ?? lines.find(({ lead }) => lead) ?? lines[0]);
    else return;
    setCursor({});
  };
  const press = (event: KeyboardEvent) => {
    const next = afterKey(cursor, event, { count: points.length, lines: lines.length, first: newest });
    if (next) setCursor(next);
    else if (event.key === "Enter") act();
    else return;
    event.preventDefault();
  };
  const follow = (event: PointerEvent & { currentTarget: HTMLElement }, drag: (at: number) => number | undefined) => {
    const area = event.currentTarget.getBoundingClientRect();
    const i = Math.floor(((event.clientX - area.left) / area.width) * points.length);
    const next = Math.max(0, Math.min(points.length - 1, i));
    const y = event.clientY - area.top + layout.box.top;
    setCursor({ at: next, line: nearest(chart, next, y, layout), anchor: drag(next) });
  };
  const grab = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const drags = event.pointerType !== "touch" && event.button === 0 && !!zoom;
    if (drags) event.currentTarget.setPointerCapture(event.pointerId);
    follow(event, (start) => (drags ? start : undefined));
  };
  const leave = ({ pointerType }: PointerEvent) => pointerType !== "touch" && setCursor({});
  const say = (one: Line) => (one.rows[at]?.value == null ? "–" : (props.say ?? chart.show)(one.rows[at]!.value!));
  const spoken = linesOf(chart)
    .map((one) => `${one.name} ${say(one)}`)
    .join(", ");
  const description = [
    `${point.label}: ${point.gap ?? spoken}`,
    ...(point.flags?.length ? [flagWords(point.flags)] : []),
    ...(line && address ? [`Enter opens ${line.name}`] : []),
    ...(marked && zoom ? [`Enter zooms to ${points[marked[0]].label} – ${points[marked[1]].label}`] : []),
  ].join(". ");
  const { box, x, y, step } = layout;
  const value = line?.rows[at]?.value;
  return (
    <figure class="plot">
      {about && <figcaption class="faint">{about}</figcaption>}
      {props.children}
      <div ref={ref} class="plot-area" style={{ height: `${height}px` }}>
        <svg class="drawing" width={width} height={height} aria-hidden="true" focusable="false">
          {marked && zoom && (
            <rect
              x={box.left + marked[0] * step}
              y={box.top}
              width={(marked[1] - marked[0] + 1) * step}
              height={box.bottom - box.top}
              fill="var(--accent)"
              fill-opacity=".15"
            />
          )}
          {cursor.at !== undefined && <path d={`M${x(at)} ${box.top}V${box.bottom}`} stroke="var(--soft)" />}
          {drawing}
          {value != null && (
            <circle cx={x(at)} cy={y(value)} r="5" fill="var(--paper)" stroke={line.color} stroke-width="2.5" />
          )}
        </svg>
        <div
          class={address ? "plot-box opens" : "plot-box"}
          style={{
            left: `${box.left}px`,
            top: `${box.top}px`,
            width: `${Math.max(0, box.right - box.left)}px`,
            height: `${box.bottom - box.top}px`,
          }}
          role="slider"
          tabIndex={0}
          aria-label={`${caption}. Arrow keys choose a point and a line.${zoom ? " Shift selects a period." : ""}`}
          aria-valuemin={0}
          aria-valuemax={points.length - 1}
          aria-valuenow={at}
          aria-valuetext={description}
          onKeyDown={press}
          onPointerDown={grab}
          onPointerMove={(event) => follow(event, () => (event.buttons & 1 ? cursor.anchor : undefined))}
          onPointerUp={({ pointerType, button }) => pointerType !== "touch" && button === 0 && act()}
          onPointerLeave={leave}
          onBlur={() => setCursor({})}
          data-testid="trend"
        />
      </div>
      <Legend {...props} at={at} near={line} total={layout.sums.at(-1)?.[at]} />
      <Notes points={points} lines={lines} />
      <Tools {...props} at={at} />
    </figure>
  );
}

/** Returns the line that is nearest to a height at a point; bars have none. */
function nearest({ lines, stacked }: Chart, at: number, height: number, { y }: Layout): number | undefined {
  let found: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  lines.forEach(({ rows }, i) => {
    const value = rows[at]?.value;
    const away = value == null || stacked ? Number.POSITIVE_INFINITY : Math.abs(y(value) - height);
    if (away < least) [found, least] = [i, away];
  });
  return found;
}
