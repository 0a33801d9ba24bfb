// The tabs of a tracker, in their order on the page.
import type { ComponentType } from "preact";
import type { TabProps } from "./pieces";
import { Alerts } from "./alerts";
import { Answers } from "./answers/list";
import { Brands } from "./brands/page";
import { Ads } from "./contents/ads";
import { Products } from "./contents/products";
import { Searches } from "./contents/searches";
import { Definition } from "./definition";
import { Overview } from "./overview";
import { Prompts } from "./prompts";
import { Reviews } from "./reviews";
import { Sources } from "./sources/page";
import { Sweeps } from "./sweeps";
import { Why } from "./why/page";

/** unlisted: the tab is reached from numbers instead of the navigation. */
export const tabs: { name: string; title: string; show: ComponentType<TabProps>; unlisted?: true }[] = [
  { name: "overview", title: "Overview", show: Overview },
  { name: "prompts", title: "Prompts", show: Prompts },
  { name: "sources", title: "Sources", show: Sources },
  { name: "searches", title: "Searches", show: Searches },
  { name: "products", title: "Products", show: Products },
  { name: "ads", title: "Ads", show: Ads },
  { name: "answers", title: "Answers", show: Answers },
  { name: "sweeps", title: "Sweeps", show: Sweeps },
  { name: "alerts", title: "Alerts", show: Alerts },
  { name: "reviews", title: "Reviews", show: Reviews },
  { name: "brands", title: "Brands", show: Brands },
  { name: "definition", title: "Settings", show: Definition },
  { name: "why", title: "Why did it change?", show: Why, unlisted: true },
];
