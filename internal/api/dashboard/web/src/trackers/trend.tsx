// The lines of brands in charts.
import { shapes, type Line } from "../plot/chart";
import { SparkPlot } from "../plot/drawing";
import { brandColor, type PanelBrand } from "./pieces";

/** Returns how the line of a brand looks. */
export const lineLook = ({ name, look }: PanelBrand): Omit<Line, "rows"> => ({
  name,
  color: brandColor(look),
  shape: shapes[look],
  lead: look === 0,
});

/** A scale of shares. */
export const shareAxis = { least: 0.01, show: (share: number) => `${Math.round(100 * share)} %` };

/** A small chart of one value per sweep. By default, the scale follows from the values. */
export const Spark = ({ brand, values, top }: { brand: PanelBrand; values: (number | null)[]; top?: number }) => (
  <SparkPlot line={{ ...lineLook(brand), rows: values.map((value) => ({ value })) }} highest={top} />
);
