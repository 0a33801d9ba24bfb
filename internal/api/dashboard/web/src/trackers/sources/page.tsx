// The sources that answers cite: domains, pages and types, and how they changed since the period before.
import { useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import type { AnswerShare, SourceReport, SourceRow } from "earshot";
import { csvOf, download, type CSVValue } from "../../file";
import { ChoiceField } from "../../query";
import { Line } from "../../result/markdown";
import { route } from "../../state";
import { dateText } from "../../time";
import { CardTable } from "../../table";
import { Button, counted, Empty, Failed, Loading, number, Skeleton, together } from "../../ui";
import { addressOf, numberQuery, periodOf, previousPeriod, setQuery } from "../address";
import { FilterLine, NothingLeft } from "../filters";
import { useCompare, useSources } from "../numbers";
import type { PanelBrand, TabProps } from "../pieces";
import { apiPath, BrandMark, BrandOf, Delta, lookOf, mayTrack } from "../pieces";
import { SampleData, StrongValue, TargetNote, Value } from "../pieces";
import { percent, range } from "../words";
import { Changes } from "./changes";
import { Matrix } from "./matrix";
import { keyOf, ShareBar, SourceName, SourceType, wayOf } from "./source";
import { Support } from "./support";

type By = "domain" | "url" | "type";
const views: Record<By, { title: string; heading: string; noun: string }> = {
  domain: { title: "Domains", heading: "Cited domains", noun: "domain" },
  url: { title: "Pages", heading: "Cited pages", noun: "page" },
  type: { title: "Types", heading: "Source types", noun: "type" },
};

/** The most rows that the page reads. */
const most = 500;

export function Sources({ tracker, panel }: TabProps) {
  const { by: wanted, brand } = route.value.query;
  const by: By = wanted === "url" || wanted === "type" ? wanted : "domain";
  const now = numberQuery(tracker);
  const before = { ...now, ...previousPeriod(now) };
  const load = (query: typeof now & { brand?: string; since?: boolean }, by: By) =>
    useSources(tracker.name, { ...query, by, limit: most }, tracker);
  const these = load({ ...now, brand, since: true }, by);
  const [those, types] = [load(before, by), load(now, "type")];
  const rows = these.value?.rows;
  return (
    <>
      <SampleData when={tracker.demo || these.value?.madeUp} />
      <FilterLine tracker={tracker} against />
      <Failed {...together(these, those)} stale={!!rows} />
      {panel.length > 0 && (
        <div class="filters" role="group" aria-label="Rows">
          <ChoiceField name="brand" all="All brands" values={() => panel.map(({ name }) => name)} />
        </div>
      )}
      {!rows && !these.error && <Skeleton lines={10} />}
      {rows?.length === 0 && (brand ? <Empty title={`No sources of ${brand}`} /> : <NothingLeft tracker={tracker} />)}
      {!!rows?.length && (
        <>
          <div class="source-top">
            <Changes
              now={these.value!}
              before={those.value}
              since={these}
              noun={views[by].noun}
              most={most}
              against={before}
            />
            <Types rows={types.value?.rows ?? []} />
          </div>
          <section class="card" data-testid="sources">
            <div class="title-line">
              <div>
                <h2>
                  {views[by].heading}{" "}
                  <span class="faint">{rows.length === most ? `top ${most}` : number(rows.length)}</span>
                </h2>
                <p class="faint">
                  {counted(rows[0].allCitations, "citation")} in {counted(rows[0].answers, "answer")}. A page counts
                  once per answer.
                </p>
              </div>
              <span class="row">
                <span class="segments" role="group" aria-label="Group by">
                  {(Object.keys(views) as By[]).map((view) => (
                    <Button
                      key={view}
                      text={views[view].title}
                      aria-pressed={by === view}
                      onClick={() => setQuery({ by: view === "domain" ? undefined : view })}
                    />
                  ))}
                </span>
                {mayTrack() && !tracker.demo && (
                  <a
                    class="button small"
                    href={addressOf(tracker.name, "definition")}
                    title="In the settings, under sources">
                    Edit types…
                  </a>
                )}
                <Button
                  text="CSV"
                  class="small"
                  onClick={() => download(csvOf(rows, csvColumns), `${tracker.name}-sources.csv`)}
                />
              </span>
            </div>
            <SourceTable
              key={by}
              tracker={tracker}
              panel={panel}
              rows={rows}
              before={those.value}
              by={by}
              query={now}
            />
            <p class="basis">
              <span>citationShare@m1, matching rules {these.value!.rules}</span>
              <a href={addressOf(tracker.name, "answers", { from: now.from, to: now.to, outcome: "answered" })}>
                View answers
              </a>
            </p>
          </section>
        </>
      )}
      {these.value?.matrix && <Matrix tracker={tracker.name} matrix={these.value.matrix} query={now} />}
      {!!(rows || these.error) && (
        <>
          <Websites tracker={tracker} panel={panel} />
          <Support tracker={tracker} panel={panel} />
        </>
      )}
      <AsCall path={apiPath(tracker.name, "/sources")} query={{ ...now, by, brand, limit: most }} />
    </>
  );
}

const largestShare = (rows: SourceRow[]) => Math.max(...rows.map(({ share }) => share ?? 0));

function Types({ rows }: { rows: SourceRow[] }) {
  const largest = largestShare(rows);
  return (
    <section class="card" aria-label="By type">
      <h2>By type</h2>
      <CardTable
        plain
        label="Sources by type"
        rows={rows}
        rowKey={keyOf}
        cells={{
          Type: (row) => (
            <>
              <SourceType of={row} /> <TargetNote of={row.target} />
            </>
          ),
          "#Share of citations": ({ share }) => <Value of={share} />,
          "~Bar": ({ share }) => <ShareBar share={share} of={largest} />,
        }}
      />
    </section>
  );
}

interface TableProps {
  tracker: TabProps["tracker"];
  panel: PanelBrand[];
  rows: SourceRow[];
  before?: SourceReport;
  by: By;
  query: ReturnType<typeof numberQuery>;
}

const pageSize = 50;

/** A share with its expected range. */
const ShareOf = ({ row }: { row: SourceRow }) => (
  <>
    <StrongValue of={row.share} />
    <div class="faint">
      {range(row.interval?.rerun)}
      {row.provisional && ", preliminary"}
    </div>
  </>
);

/** The share of answers with a source, and their number. */
const Answers = ({ of }: { of: AnswerShare }) => (
  <>
    <Value of={of.share} />
    <div class="faint">
      {number(of.answers)} of {number(of.of)}
    </div>
  </>
);

/** A sentence that cites the source, with a link to its answer. */
const Example = ({ tracker, row: { example } }: { tracker: string; row: SourceRow }) =>
  example ? (
    <a class="example" href={addressOf(tracker, "answers", {}, example.answer)}>
      {example.sentence ? <Line text={example.sentence} link={(_, text) => text} /> : "Example"}
    </a>
  ) : null;

function SourceTable({ tracker, panel, rows, before, by, query }: TableProps) {
  const [shown, setShown] = useState(pageSize);
  const [open, setOpen] = useState<string>();
  const earlier = new Map(before?.rows.map((row) => [keyOf(row), row]));
  const largest = largestShare(rows);
  const past = (row: SourceRow) => earlier.get(keyOf(row));
  const name = (row: SourceRow) => {
    const key = keyOf(row);
    if (by === "type") return <SourceType of={row} />;
    if (by === "url") return <SourceName row={row} />;
    return (
      <button
        type="button"
        class="row-opener"
        aria-expanded={open === key}
        onClick={() => setOpen(open === key ? undefined : key)}>
        <span aria-hidden="true">{open === key ? "▼" : "▶"}</span> {row.domain}
      </button>
    );
  };
  return (
    <>
      <CardTable
        label="Sources"
        rows={rows.slice(0, shown)}
        rowKey={keyOf}
        rowClass={({ type }) => (type === "own" ? "own-row" : undefined)}
        detail={(row) => open === keyOf(row) && <PagesOf tracker={tracker} domain={row} query={query} />}
        cells={{
          [views[by].title.slice(0, -1)]: (row) => (
            <>
              {name(row)} <TargetNote of={row.target} />
              {row.firstSeen && row.lastSeen && (
                <div class="faint">
                  Seen {dateText(row.firstSeen)} – {dateText(row.lastSeen)}
                </div>
              )}
              <Example tracker={tracker.name} row={row} />
            </>
          ),
          ...(by !== "type" && { Type: (row: SourceRow) => <SourceType of={row} /> }),
          "#Share": (row) => <ShareOf row={row} />,
          "~Bar": ({ share }) => <ShareBar share={share} of={largest} />,
          "#Citations": ({ citations }) => number(citations),
          "#Retrieved": ({ retrieved }) => <Answers of={retrieved} />,
          "#Cited": ({ cited }) => <Answers of={cited} />,
          Change: (row) => (
            <>
              <Change row={row} past={past(row)} />
              <div class="faint">
                {past(row) ? `${percent(past(row)!.share)} before` : before ? "Not cited before" : "…"}
              </div>
            </>
          ),
          ...(by === "domain" && { "Cited for": (row: SourceRow) => <CitedFor row={row} panel={panel} /> }),
        }}
      />
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
        Below each share is its expected range if re-run. A change counts when the ranges of the two periods do not
        overlap.
      </p>
    </>
  );
}

const shownBrands = 3;

/** The brands whose mentions cite the domain, the most mentioned first. */
function CitedFor({ row: { backs = [] }, panel }: { row: SourceRow; panel: PanelBrand[] }) {
  if (!backs.length) return <span class="faint">No brand</span>;
  const sorted = [...backs].sort((a, b) => b.mentions - a.mentions);
  return (
    <ul class="plain-list backs">
      {sorted.slice(0, shownBrands).map(({ brand, mentions }) => (
        <li key={brand}>
          <BrandMark look={lookOf(panel, brand)} /> <bdi>{brand}</bdi> <span class="faint">{number(mentions)}</span>
        </li>
      ))}
      {backs.length > shownBrands && <li class="faint">and {number(backs.length - shownBrands)} more</li>}
    </ul>
  );
}

function Change({ row, past }: { row: SourceRow; past?: SourceRow }) {
  const way = wayOf(row, past);
  if (way === "unknown") return <span class="faint">–</span>;
  if (way === "same") return <span class="faint">= Within normal variation</span>;
  return (
    <strong class={row.type === "own" ? (way === "up" ? "good" : "bad") : undefined}>
      {way === "up" ? "▲ Cited more" : "▼ Cited less"}
    </strong>
  );
}

const readPages = 1000;
const shownPages = 20;

type PagesOfProps = { tracker: TabProps["tracker"]; domain: SourceRow; query: ReturnType<typeof numberQuery> };

/** The pages of a domain, among the pages that are cited most. */
function PagesOf({ tracker, domain, query }: PagesOfProps) {
  const loaded = useSources(tracker.name, { ...query, by: "url", limit: readPages }, tracker);
  const all = loaded.value?.rows;
  if (!all) return <Loading of={loaded} lines={3} />;
  const pages = all.filter((row) => row.domain === domain.domain && row.target === domain.target);
  return (
    <>
      <h3>
        {counted(pages.length, "page")} of {domain.domain}
        {all.length === readPages && ` among the top ${number(readPages)}`}
      </h3>
      <CardTable
        label={`Pages of ${domain.domain}`}
        rows={pages.slice(0, shownPages)}
        rowKey={keyOf}
        cells={{
          Page: (row) => <SourceName row={row} />,
          "#Citations": ({ citations }) => number(citations),
          "#Share": ({ share }) => <Value of={share} />,
          "Expected range": ({ interval }) => range(interval?.rerun),
        }}
      />
      {pages.length > shownPages && <p class="faint">Showing the first {shownPages}. “Pages” lists all.</p>}
    </>
  );
}

/** How often answers cite the websites of the brands, and the verdict of the API on the change. */
function Websites({ tracker, panel }: Pick<TabProps, "tracker" | "panel">) {
  const query = { ...numberQuery(tracker), metric: "citationRate" };
  const { value, error, again } = useCompare(tracker.name, query, tracker);
  const rows = panel.flatMap((brand) => {
    const mine = value?.rows.filter((row) => row.brand === brand.name) ?? [];
    const pooled = mine.filter((row) => row.target.startsWith("*"));
    return (pooled.length ? pooled : mine).map((row) => ({ brand, row }));
  });
  if (error) return <Failed error={error} again={again} />;
  if (!rows.length) return null;
  return (
    <section class="card" data-testid="sites">
      <h2>Brand websites</h2>
      <p class="faint">
        Share of answers that cite a brand's own website, compared with the {periodOf(tracker).days} days before
      </p>
      <CardTable
        label="Brand websites"
        rows={rows}
        rowKey={({ brand, row }) => brand.name + row.target}
        cells={{
          Brand: ({ brand, row }) => <BrandOf brand={brand} target={row.target} />,
          "#Before": ({ row }) => <Value of={row.before} />,
          "#Now": ({ row }) => <StrongValue of={row.after} />,
          "Change (points)": ({ brand, row }) => <Delta row={row} own={brand.own} />,
        }}
      />
    </section>
  );
}

/** The columns of the CSV file, by their names. */
const csvColumns: Record<string, (row: SourceRow) => CSVValue> = {
  domain: (row) => row.domain,
  url: (row) => row.url,
  type: (row) => row.type,
  brand: (row) => row.brand,
  target: (row) => row.target,
  share: (row) => row.share,
  citations: (row) => row.citations,
  allCitations: (row) => row.allCitations,
  answers: (row) => row.answers,
  rerunFrom: (row) => row.interval?.rerun[0],
  rerunTo: (row) => row.interval?.rerun[1],
  provisional: (row) => String(row.provisional),
  retrievedAnswers: (row) => row.retrieved.answers,
  retrievedShare: (row) => row.retrieved.share,
  citedAnswers: (row) => row.cited.answers,
  citedShare: (row) => row.cited.share,
  firstSeen: (row) => row.firstSeen,
  lastSeen: (row) => row.lastSeen,
  example: (row) => row.example?.sentence,
};
