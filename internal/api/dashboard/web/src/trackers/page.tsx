// The list of trackers, and one tracker with its tabs.
import { useEffect, useLayoutEffect } from "preact/hooks";
import { base, call } from "../api";
import type { Tracker } from "earshot";
import { route } from "../state";
import { setZone } from "../time";
import { Loading, useLoad } from "../ui";
import { addressOf, numberQuery } from "./address";
import { filtersOf } from "./answers/list";
import { nextSweep, TrackerList, TrackerState } from "./list";
import { apiPath, mayTrack, panelOf } from "./pieces";
import { Share } from "./share";
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
  const loaded = useLoad((signal) => call("GET /v1/trackers/{name}", { params: { name }, signal }), [name]);
  const { value: tracker, again } = loaded;
  const chosen = tabs.find((one) => one.name === tab) ?? tabs[0];
  const title = tracker?.title ?? name;
  useEffect(() => {
    document.title = `${title}, ${chosen.title} · Trackers · Earshot`;
  }, [title, chosen]);
  useLayoutEffect(() => {
    if (tracker) setZone(tracker.definition?.schedule?.timezone ?? "UTC");
    return () => setZone(undefined);
  }, [tracker]);
  return (
    <div class="tracking">
      <p class="back">
        <a href="#/trackers">← Trackers</a>
      </p>
      <Head name={name} tracker={tracker} tab={chosen.name} />
      <nav class="views" aria-label={`Views of ${title}`}>
        {tabs
          .filter(({ unlisted }) => !unlisted)
          .map((one) => (
            <a key={one.name} href={addressOf(name, one.name)} aria-current={one === chosen ? "page" : undefined}>
              {one.title}
            </a>
          ))}
      </nav>
      <Loading of={loaded} lines={8} />
      {tracker && (
        <chosen.show key={chosen.name} tracker={tracker} panel={panelOf(tracker)} parts={parts} again={again} />
      )}
    </div>
  );
}

/** The name and state of a tracker, its next sweep, and its actions. */
function Head({ name, tracker, tab }: { name: string; tracker?: Tracker; tab: string }) {
  const file = (rest: string) => {
    const { pathname, search } = new URL(apiPath(name, rest).slice(1), base);
    return pathname + search;
  };
  const filters = tracker ? exportFilters(tracker, tab) : {};
  const csv = file(`/export?${new URLSearchParams({ format: "csv", ...filters })}`);
  const title = Object.keys(filters).length ? "Answers that match the filters, as CSV" : "All answers, as CSV";
  return (
    <div class="tracker-head">
      <h1>
        <bdi>{tracker?.title ?? name}</bdi>
      </h1>
      {tracker && <TrackerState tracker={tracker} />}
      <span class="head-actions">
        {tracker && <span class="faint">{nextSweep(tracker, "Next sweep: ")}</span>}
        <a class="button" href={file("/report")} download>
          Report
        </a>
        <a class="button" href={csv} download title={title} data-testid="export">
          Export
        </a>
        {tracker && mayTrack() && <Share tracker={tracker} />}
        {tracker && !tracker.demo && mayTrack() && (
          <a class="button primary" href={addressOf(name, "sweeps", { run: "ask" })}>
            Run now…
          </a>
        )}
      </span>
    </div>
  );
}

/** Returns the filters of a tab as parameters of an export of answers; a tab without filters has none. */
function exportFilters(tracker: Tracker, tab: string): Record<string, string> {
  if (tab === "answers") return { ...filtersOf(tracker) };
  if (!["overview", "prompts", "sources", "searches", "products", "ads", "why"].includes(tab)) return {};
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
