// Trackers: the list of them, and one with its tabs.
import { useEffect } from "preact/hooks";
import { base, call } from "../api";
import type { Tracker } from "../api.gen";
import { route } from "../state";
import { useLoad } from "../ui";
import { addressOf, keptFilters, numberQuery } from "./address";
import { filtersOf } from "./answers/list";
import { nextSweep, TrackerList, TrackerState } from "./list";
import { Failed, mayTrack, panelOf, Skeleton } from "./pieces";
import { tabs } from "./tabs";
import "./trackers.css";
import "./answers/answers.css";
import "./brands/brands.css";
import "./sources/sources.css";

export function Trackers() {
  const [name, tab = tabs[0].name, ...parts] = route.value.rest;
  return name ? <TrackerPage key={name} name={name} tab={tab} parts={parts} /> : <TrackerList />;
}

function TrackerPage({ name, tab, parts }: { name: string; tab: string; parts: string[] }) {
  const {
    value: tracker,
    error,
    again,
  } = useLoad((signal) => call("GET /v1/trackers/{name}", { params: { name }, signal }), [name]);
  const chosen = tabs.find((one) => one.name === tab) ?? tabs[0];
  useEffect(() => {
    document.title = `${name}, ${chosen.title} · Trackers · Earshot`;
  }, [name, chosen, tracker]);
  return (
    <div class="tracking">
      <p class="back">
        <a href="#/trackers">← Trackers</a>
      </p>
      <Head name={name} tracker={tracker} tab={chosen.name} />
      <nav class="views" aria-label={`Views of ${name}`}>
        {tabs.map((one) => (
          <a
            key={one.name}
            href={addressOf(name, one.name, keptFilters())}
            aria-current={one === chosen ? "page" : undefined}>
            {one.title}
          </a>
        ))}
      </nav>
      <Failed error={error} again={again} stale={!!tracker} />
      {tracker ? (
        <chosen.show key={chosen.name} tracker={tracker} panel={panelOf(tracker)} parts={parts} again={again} />
      ) : (
        !error && <Skeleton lines={8} label="Loading the tracker" />
      )}
    </div>
  );
}

/** The name, where the tracker stands, and what can be done. */
function Head({ name, tracker, tab }: { name: string; tracker?: Tracker; tab: string }) {
  const file = (rest: string) => {
    const { pathname, search } = new URL(`v1/trackers/${encodeURIComponent(name)}/${rest}`, base);
    return pathname + search;
  };
  const picked = tracker ? exported(tracker, tab) : {};
  return (
    <div class="tracker-head">
      <h1>{name}</h1>
      {tracker && <TrackerState tracker={tracker} />}
      <span class="head-actions">
        {tracker && (
          <span class="faint">
            {tracker.nextSweepAt && tracker.state === "active" && "Next sweep "}
            {nextSweep(tracker)}
          </span>
        )}
        <a class="button" href={file("report")} download>
          Report
        </a>
        <a
          class="button"
          href={file(`export?${new URLSearchParams({ format: "csv", ...picked })}`)}
          download
          title={
            Object.keys(picked).length
              ? "The answers that the filters of this page pick, as CSV"
              : "All answers, as CSV"
          }
          data-testid="export">
          Export
        </a>
        {tracker && !tracker.demo && mayTrack() && (
          <a class="button primary" href={addressOf(name, "sweeps", { ...keptFilters(), run: "ask" })}>
            Run now…
          </a>
        )}
      </span>
    </div>
  );
}

/** The filters of the tab, as those of an export of answers; a tab without filters has none. */
function exported(tracker: Tracker, tab: string): Record<string, string> {
  if (tab === "answers") return { ...filtersOf(tracker) };
  if (!["overview", "prompts", "sources"].includes(tab)) return {};
  const { from, to, filter = "" } = numberQuery(tracker);
  const parts = filter.split(",").filter((part) => part && !part.startsWith("prompt:"));
  const { prompt } = route.value.query;
  return {
    dueFrom: from,
    dueTo: to,
    ...(parts.length && { filter: parts.join(",") }),
    ...(prompt && { promptId: prompt }),
  };
}
