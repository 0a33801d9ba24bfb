// The sources that answers cite: domains, pages and types, whose they are, and what came
// and went against the period before.
import { useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { call } from "../../api";
import type { SourceReport, SourceRow } from "../../api.gen";
import { csvFile, download } from "../../file";
import { route } from "../../state";
import { External } from "../../external";
import { Button, counted, Heads, number, useLoad } from "../../ui";
import { addressOf, keptFilters, numberQuery, periodOf, setQuery } from "../address";
import { SourceType } from "../answers/shown";
import { FilterLine, NothingLeft } from "../filters";
import {
  BrandMark,
  BrandName,
  Caution,
  Delta,
  Failed,
  MadeUp,
  mayTrack,
  Skeleton,
  Value,
  type PanelBrand,
} from "../pieces";
import type { TabProps } from "../pieces";
import { dayWords, percent, range } from "../words";
import { Support } from "./support";

type By = "domain" | "url" | "type";
const views: { by: By; title: string }[] = [
  { by: "domain", title: "Domains" },
  { by: "url", title: "Pages" },
  { by: "type", title: "Types" },
];

/** More rows than anybody reads; what is cut says so. */
const most = 500;

const dayLength = 86_400_000;
const shift = (day: string, days: number) => new Date(Date.parse(day) + days * dayLength).toISOString().slice(0, 10);

export function Sources({ tracker, panel }: TabProps) {
  const { by: wanted } = route.value.query;
  const by: By = wanted === "url" || wanted === "type" ? wanted : "domain";
  const now = numberQuery(tracker);
  const { days } = periodOf(tracker);
  const before = { ...now, from: shift(now.from, -days), to: shift(now.from, -1) };
  const params = { name: tracker.name };
  const load = (query: typeof now, kind: By) =>
    useLoad(
      (signal) =>
        call("GET /v1/trackers/{name}/sources", { params, query: { ...query, by: kind, limit: most }, signal }),
      [tracker, kind, query.from, query.to, query.filter],
    );
  const [these, those, types] = [load(now, by), load(before, by), load(now, "type")];
  const rows = these.value?.rows;
  return (
    <>
      <MadeUp when={these.value?.madeUp} />
      <FilterLine tracker={tracker} against />
      <Failed
        error={these.error ?? those.error}
        again={() => {
          these.again();
          those.again();
        }}
        stale={!!rows}
      />
      {!rows && !these.error && <Skeleton lines={10} label="Loading the sources" />}
      {rows?.length === 0 && <NothingLeft tracker={tracker} />}
      {!!rows?.length && (
        <>
          <div class="source-top">
            <CameAndWent now={these.value!} before={those.value} by={by} against={before} />
            <Types rows={types.value?.rows ?? []} />
          </div>
          <section class="card" data-testid="sources">
            <div class="title-line">
              <div>
                <h2>
                  {by === "domain" ? "Cited domains" : by === "url" ? "Cited pages" : "Types of sources"}{" "}
                  <span class="faint">
                    {number(rows.length)}
                    {rows.length === most && " with the most citations"}
                  </span>
                </h2>
                <p class="faint">
                  {counted(rows[0].allCitations, "citation")} in {counted(rows[0].answers, "answer")}; a page counts
                  once for each answer
                </p>
              </div>
              <span class="row">
                <span class="segments" role="group" aria-label="Counted by">
                  {views.map((view) => (
                    <button
                      key={view.by}
                      type="button"
                      aria-pressed={by === view.by}
                      onClick={() => setQuery({ by: view.by === "domain" ? undefined : view.by })}>
                      {view.title}
                    </button>
                  ))}
                </span>
                {mayTrack() && !tracker.demo && (
                  <a
                    class="button small"
                    href={addressOf(tracker.name, "definition")}
                    title="Types that you set stand under sources in the definition">
                    Change types…
                  </a>
                )}
                <Button text="CSV" class="small" onClick={() => download(asCSV(rows), `${tracker.name}-sources.csv`)} />
              </span>
            </div>
            <SourceTable tracker={tracker} panel={panel} rows={rows} before={those.value} by={by} query={now} />
            <p class="basis">
              <span>citationShare@m1, rules {these.value!.rules}</span>
              <a
                href={addressOf(tracker.name, "answers", {
                  ...keptFilters(),
                  from: now.from,
                  to: now.to,
                  outcome: "answered",
                })}>
                Open the answers of this time
              </a>
            </p>
          </section>
        </>
      )}
      <Sites tracker={tracker} panel={panel} />
      <Support tracker={tracker} panel={panel} />
      <AsCall path={`/v1/trackers/${encodeURIComponent(tracker.name)}/sources`} query={{ ...now, by, limit: most }} />
    </>
  );
}

/** What a row is of; surfaces are never mixed, so that one source may have a row for each. */
const nameOf = (row: SourceRow) => row.url ?? row.domain ?? row.type;
const keyOf = (row: SourceRow) => `${nameOf(row)} ${row.target}`;

type CameAndWentProps = { now: SourceReport; before?: SourceReport; by: By; against: { from: string; to: string } };

function CameAndWent({ now, before, by, against }: CameAndWentProps) {
  const what = by === "domain" ? "domains" : by === "url" ? "pages" : "types";
  const so = (rows: SourceRow[], words: string) =>
    `${number(rows.length)} ${rows.length === 1 ? what.slice(0, -1) : what} ${words}`;
  const past = new Map(before?.rows.map((row) => [keyOf(row), row]));
  const more = now.rows.filter((row) => moved(row, past.get(keyOf(row))) === "up");
  const less = now.rows.filter((row) => moved(row, past.get(keyOf(row))) === "down");
  const still = new Set(now.rows.map(keyOf));
  const gained = now.rows.filter((row) => !past.has(keyOf(row)));
  const lost = before?.rows.filter((row) => !still.has(keyOf(row))) ?? [];
  return (
    <section class="card" data-testid="gained-lost">
      <h2>What changed</h2>
      <p class="faint">
        Against {dayWords(against.from)} to {dayWords(against.to)}
      </p>
      {!before && <Skeleton lines={2} />}
      {before && !before.rows.length && <p class="faint">There are no answers of that time to compare with.</p>}
      {before && before.rows.length > 0 && (
        <>
          {now.rows.length === most || before.rows.length === most ? (
            <Caution title="Not all are compared.">
              Only the {number(most)} {what} with the most citations of each time.
            </Caution>
          ) : null}
          <Group title={so(more, "cited more")} sign="▲" rows={more} before={past} />
          <Group title={so(less, "cited less")} sign="▼" rows={less} before={past} />
          <Group title={so(gained, "not cited before")} sign="+" rows={gained} />
          <Group title={so(lost, "cited no more")} sign="−" rows={lost} />
          <p class="faint">
            More or less is beyond what asking again would show. A source with few citations comes and goes by chance;
            how many it has stands beside it.
          </p>
        </>
      )}
    </section>
  );
}

const firstRows = 6;

type GroupProps = { title: string; sign: string; rows: SourceRow[]; before?: Map<string, SourceRow> };

function Group({ title, sign, rows, before }: GroupProps) {
  const [all, setAll] = useState(false);
  if (!rows.length) return <p class="faint">{title}</p>;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain-list">
        {rows.slice(0, all ? undefined : firstRows).map((row) => (
          <li key={keyOf(row)}>
            <strong aria-hidden="true">{sign}</strong> <SourceName row={row} /> <SourceType of={row} />{" "}
            <span class="faint">
              {before && (
                <>
                  {percent(before.get(keyOf(row))?.share)} before, now {percent(row.share)};{" "}
                </>
              )}
              {number(row.citations)} citations
            </span>
          </li>
        ))}
      </ul>
      {rows.length > firstRows && (
        <Button
          text={all ? "Fewer" : `All ${number(rows.length)}`}
          class="small"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        />
      )}
    </>
  );
}

const SourceName = ({ row }: { row: SourceRow }) =>
  row.url ? <External href={row.url}>{row.url}</External> : (row.domain ?? row.type);

function Types({ rows }: { rows: SourceRow[] }) {
  const largest = Math.max(...rows.map(({ share }) => share ?? 0));
  return (
    <section class="card" aria-label="By type">
      <h2>By type</h2>
      <p class="faint">Share of the citations</p>
      <table class="type-bars" aria-label="Sources by type">
        <thead class="hidden-words">
          <tr>
            <th scope="col">Type</th>
            <th scope="col">Share</th>
            <th scope="col">Bar</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">
                <SourceType of={row} />
                {row.target !== "*" && <span class="faint"> {row.target}</span>}
              </th>
              <td class="number">
                <Value of={row.share} />
              </td>
              <td class="bar-cell">
                <Bar share={row.share} of={largest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Bar = ({ share, of }: { share: number | null /** The share of a bar of full length. */; of: number }) => (
  <div class="share-bar" aria-hidden="true">
    <div style={{ width: `${(100 * (share ?? 0)) / (of || 1)}%` }} />
  </div>
);

interface TableProps {
  tracker: TabProps["tracker"];
  panel: PanelBrand[];
  rows: SourceRow[];
  before?: SourceReport;
  by: By;
  query: ReturnType<typeof numberQuery>;
}

const pageSize = 50;

function SourceTable({ tracker, panel, rows, before, by, query }: TableProps) {
  const [shown, setShown] = useState(pageSize);
  const [open, setOpen] = useState<string>();
  const earlier = new Map(before?.rows.map((row) => [keyOf(row), row]));
  const columns = by === "domain" ? 8 : by === "url" ? 7 : 6;
  const largest = Math.max(...rows.map(({ share }) => share ?? 0));
  return (
    <>
      <table class="row-cards" aria-label="Sources">
        <thead>
          <tr>
            <th scope="col">{by === "url" ? "Page" : by === "type" ? "Type" : "Domain"}</th>
            {by !== "type" && <th scope="col">Type</th>}
            <th scope="col" class="number">
              Share
            </th>
            <th scope="col" class="wide-only">
              <span class="hidden-words">Share as a bar</span>
            </th>
            <th scope="col" class="number">
              Citations
            </th>
            <th scope="col" class="number">
              Share before
            </th>
            <th scope="col">Against before</th>
            {by === "domain" && <th scope="col">Backs mentions of</th>}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).flatMap((row) => {
            const past = earlier.get(keyOf(row));
            const key = keyOf(row);
            const brand = panel.find(({ name }) => name === row.brand);
            return [
              <tr key={key} class={row.type === "own" ? "own-row" : undefined}>
                <th scope="row">
                  {by === "domain" ? (
                    <button
                      type="button"
                      class="row-opener"
                      aria-expanded={open === key}
                      onClick={() => setOpen(open === key ? undefined : key)}>
                      <span aria-hidden="true">{open === key ? "▼" : "▶"}</span> {row.domain}
                    </button>
                  ) : by === "url" ? (
                    <SourceName row={row} />
                  ) : (
                    <SourceType of={row} />
                  )}
                  {row.target !== "*" && <span class="faint"> {row.target}</span>}
                </th>
                {by !== "type" && (
                  <td data-label="Type">
                    <span class={`badge type ${row.type}`}>{row.type}</span>
                    {brand ? (
                      <>
                        {" "}
                        of <BrandMark look={brand.look} /> {brand.name}
                      </>
                    ) : (
                      row.brand && ` of ${row.brand}`
                    )}
                  </td>
                )}
                <td data-label="Share" class="number">
                  <strong>
                    <Value of={row.share} />
                  </strong>
                  <div class="faint">
                    {range(row.interval?.rerun)}
                    {row.provisional && ", provisional"}
                  </div>
                </td>
                <td class="bar-cell wide-only">
                  <Bar share={row.share} of={largest} />
                </td>
                <td data-label="Citations" class="number">
                  {number(row.citations)}
                </td>
                <td data-label="Share before" class="number">
                  {before ? (
                    past ? (
                      <>
                        <Value of={past.share} />
                        <div class="faint">{range(past.interval?.rerun)}</div>
                      </>
                    ) : (
                      <span class="faint">not cited</span>
                    )
                  ) : (
                    "…"
                  )}
                </td>
                <td data-label="Against before">
                  <Against row={row} past={past} own={row.type === "own"} />
                </td>
                {by === "domain" && (
                  <td data-label="Backs mentions of">
                    <Backs row={row} panel={panel} />
                  </td>
                )}
              </tr>,
              open === key && (
                <tr key={`${key} pages`} class="opened">
                  <td colSpan={columns}>
                    <PagesOf tracker={tracker} domain={row} query={query} />
                  </td>
                </tr>
              ),
            ];
          })}
        </tbody>
      </table>
      <p class="faint">
        {number(Math.min(shown, rows.length))} of {number(rows.length)}{" "}
        {rows.length > shown && (
          <Button
            text={`Show ${Math.min(pageSize, rows.length - shown)} more`}
            class="small"
            onClick={() => setShown(shown + pageSize)}
          />
        )}
      </p>
      <p class="faint">
        Below a share stands where it would lie if the same questions were asked again. It has moved where that range
        and the one of the time before have nothing in common; else it may be noise.
      </p>
    </>
  );
}

/** Whose names stand in sentences that cite the domain, the most mentioned first. */
function Backs({ row, panel }: { row: SourceRow; panel: PanelBrand[] }) {
  if (!row.backs?.length) return <span class="faint">nobody</span>;
  return (
    <ul class="plain-list backs">
      {[...row.backs]
        .sort((a, b) => b.mentions - a.mentions)
        .slice(0, shownBacks)
        .map(({ brand, mentions }) => (
          <li key={brand}>
            <BrandMark look={panel.find(({ name }) => name === brand)?.look ?? 6} /> {brand}{" "}
            <span class="faint">{number(mentions)}</span>
          </li>
        ))}
      {row.backs.length > shownBacks && <li class="faint">and {number(row.backs.length - shownBacks)} more</li>}
    </ul>
  );
}

const shownBacks = 3;

/** Whether the ranges of the two times have nothing in common. */
function Against({ row, past, own }: { row: SourceRow; past?: SourceRow; own: boolean }) {
  const way = moved(row, past);
  if (way === "unknown" || way === "within noise")
    return <span class="faint">{way === "unknown" ? "–" : `= ${way}`}</span>;
  return (
    <strong class={own ? (way === "up" ? "good" : "bad") : undefined}>
      {way === "up" ? "▲ cited more" : "▼ cited less"}
    </strong>
  );
}

function moved(row: SourceRow, past?: SourceRow): "up" | "down" | "within noise" | "unknown" {
  const [now, then] = [row.interval?.rerun, past?.interval?.rerun];
  if (!now || !then) return "unknown";
  return now[0] > then[1] ? "up" : now[1] < then[0] ? "down" : "within noise";
}

type PagesOfProps = { tracker: TabProps["tracker"]; domain: SourceRow; query: ReturnType<typeof numberQuery> };

/** The pages of a domain, among those that are cited most. */
function PagesOf({ tracker, domain, query }: PagesOfProps) {
  const { value, error, again } = useLoad(
    (signal) =>
      call("GET /v1/trackers/{name}/sources", {
        params: { name: tracker.name },
        query: { ...query, by: "url", limit: 1000 },
        signal,
      }),
    [tracker, query.from, query.to, query.filter],
  );
  if (!value) return error ? <Failed error={error} again={again} /> : <Skeleton lines={3} label="Loading the pages" />;
  const pages = value.rows.filter((row) => row.domain === domain.domain && row.target === domain.target);
  return (
    <>
      <h3>
        {number(pages.length)} pages of {domain.domain}
        {value.rows.length === 1000 && " among the 1,000 that are cited most"}
      </h3>
      <table class="row-cards" aria-label={`Pages of ${domain.domain}`}>
        <Heads names={["Page", "#Citations", "#Share", "Asked again"]} />
        <tbody>
          {pages.slice(0, 20).map((row) => (
            <tr key={row.url}>
              <th scope="row">
                <SourceName row={row} />
              </th>
              <td data-label="Citations" class="number">
                {number(row.citations)}
              </td>
              <td data-label="Share" class="number">
                <Value of={row.share} />
              </td>
              <td data-label="Asked again" class="faint">
                {range(row.interval?.rerun)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {pages.length > 20 && <p class="faint">The first 20; “Pages” above lists all.</p>}
    </>
  );
}

/** How often answers cite the sites of the brands, with the verdict of the API on the change. */
function Sites({ tracker, panel }: Pick<TabProps, "tracker" | "panel">) {
  const query = { ...numberQuery(tracker), metric: "citationRate" };
  const { value, error, again } = useLoad(
    (signal) => call("GET /v1/trackers/{name}/compare", { params: { name: tracker.name }, query, signal }),
    [tracker, query.from, query.to, query.filter],
  );
  const rows = panel.flatMap((brand) => {
    const mine = value?.rows.filter((row) => row.brand === brand.name) ?? [];
    const pooled = mine.filter((row) => row.target.startsWith("*"));
    return (pooled.length ? pooled : mine).map((row) => ({ brand, row }));
  });
  if (error) return <Failed error={error} again={again} />;
  if (!rows.length) return null;
  return (
    <section class="card" data-testid="sites">
      <h2>Sites of the brands</h2>
      <p class="faint">
        Share of answers that cite a page on a brand's own site, against the {periodOf(tracker).days} days before,
        beside what noise alone does
      </p>
      <table class="row-cards" aria-label="Sites of the brands">
        <Heads names={["Brand", "#Before", "#Now", "Change, points"]} />
        <tbody>
          {rows.map(({ brand, row }) => (
            <tr key={brand.name + row.target}>
              <th scope="row">
                <BrandName brand={brand} />
                {row.target !== "*" && <span class="faint"> {row.target}</span>}
              </th>
              <td data-label="Before" class="number">
                <Value of={row.before} />
              </td>
              <td data-label="Now" class="number">
                <strong>
                  <Value of={row.after} />
                </strong>
              </td>
              <td data-label="Change, points">
                <Delta row={row} own={brand.own} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const asCSV = (rows: SourceRow[]) =>
  csvFile([
    [
      "domain",
      "url",
      "type",
      "brand",
      "target",
      "share",
      "citations",
      "allCitations",
      "answers",
      "rerunFrom",
      "rerunTo",
      "provisional",
    ],
    ...rows.map((row) => [
      row.domain,
      row.url,
      row.type,
      row.brand,
      row.target,
      row.share,
      row.citations,
      row.allCitations,
      row.answers,
      row.interval?.rerun[0],
      row.interval?.rerun[1],
      String(row.provisional),
    ]),
  ]);
