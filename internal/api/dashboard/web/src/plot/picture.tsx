// Saves charts as pictures. The browser makes them: an SVG file with all colors of the theme, or a PNG file of it.
import { render } from "preact";
import { download } from "../file";
import { layoutOf, type Chart } from "./chart";
import { cut, flow, isolated, labelSize, textWidth } from "./labels";
import { Drawing } from "./drawing";

const width = 1200;
const plotHeight = 480;
const margin = 24;

/** What a picture says around the chart. */
interface Words {
  title: string;
  about?: string;
  /** The lines with their values, as in the legend of the page. */
  legend: { shape: string; color: string; name: string; value: string }[];
  notes: string[];
}

function Picture({ chart, words: { title, about = "", legend, notes } }: { chart: Chart; words: Words }) {
  const inner = width - 2 * margin;
  const items = legend.map((item) => {
    const name = cut(item.name, inner / 2, 14);
    return { ...item, name, width: textWidth(`${item.shape} ${name} ${item.value}`, 14) };
  });
  const places = flow(
    items.map((item) => item.width),
    inner,
    24,
  );
  const legendTop = 84 + plotHeight + 24;
  const notesTop = legendTop + 22 * ((places.at(-1)?.row ?? 0) + 1) + 6;
  const height = notesTop + 18 * notes.length + margin / 2;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      font-family="system-ui, sans-serif">
      <title>{title}</title>
      <rect width={width} height={height} fill="var(--paper)" />
      <text x={margin} y="38" font-size="20" font-weight="600" fill="var(--ink)">
        {cut(title, inner, 20)}
      </text>
      <text x={margin} y="62" font-size="13" fill="var(--soft)">
        {cut(about, inner, 13)}
      </text>
      <g transform={`translate(${margin} 76)`}>
        <Drawing chart={chart} layout={layoutOf(chart, inner, plotHeight)} />
      </g>
      {items.map(({ shape, color, name, value }, i) => (
        <text key={name} x={margin + places[i].x} y={legendTop + 22 * places[i].row} font-size="14" fill="var(--ink)">
          <tspan fill={color}>{shape}</tspan> {isolated(name)} {value}
        </text>
      ))}
      {notes.map((note, i) => (
        <text key={note} x={margin} y={notesTop + 18 * i} font-size={labelSize} fill="var(--soft)">
          {cut(note, inner)}
        </text>
      ))}
    </svg>
  );
}

/** Returns the value of a CSS variable as a color of the current theme. */
function colorOf(variable: string): string {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = `var(${variable})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Returns a chart as an SVG document. Links are left out, because they lead to a private page. */
export function svgOf(chart: Chart, words: Words): string {
  const host = document.createElement("div");
  render(<Picture chart={chart} words={words} />, host);
  for (const link of host.querySelectorAll("a")) link.removeAttribute("href");
  const text = new XMLSerializer().serializeToString(host.firstElementChild!);
  return text.replace(/(?<==")var\((--[\w-]+)\)(?=")/g, (_, variable) => colorOf(variable));
}

export function saveSVG(svg: string, name: string) {
  download(new Blob([svg], { type: "image/svg+xml" }), `${name}.svg`);
}

/** Saves a picture with two dots per pixel, for screens and print. */
export async function savePNG(svg: string, name: string) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * image.width;
  canvas.height = 2 * image.height;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const file = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (file) download(file, `${name}.png`);
}
