// The tabs of a tracker, in the order in which they are shown. A tab is one line here.
import type { ComponentType } from "preact";
import type { Tracker } from "../api.gen";
import type { PanelBrand } from "./pieces";
import { Definition } from "./definition";
import { Overview } from "./overview";
import { Prompts } from "./prompts";
import { Sweeps } from "./sweeps";

/** What a tab is given: the tracker with its definition, its panel, what stands behind the tab in the address, and a way to read the tracker again. */
export interface TabProps { tracker: Tracker; panel: PanelBrand[]; parts: string[]; again: () => void }

export const tabs: { name: string; title: string; show: ComponentType<TabProps> }[] = [
  { name: "overview", title: "Overview", show: Overview },
  { name: "prompts", title: "Prompts", show: Prompts },
  { name: "sweeps", title: "Sweeps", show: Sweeps },
  { name: "definition", title: "Definition", show: Definition },
];
