// The page of a list of what answers contain besides text: searches, products or ads.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { retryRateLimited } from "../../api";
import type { SearchReport } from "earshot";
import { csvOf, download, type CSVValue } from "../../file";
import { ChoiceField, SearchField } from "../../query";
import { changeQuery, route } from "../../state";
import { CardTable, type Cells } from "../../table";
import { When } from "../../time";
import { Button, counted, Empty, Failed, Loading, number, useAction, useLoad } from "../../ui";
import { addressOf, numberQuery } from "../address";
import { FilterLine, NothingLeft } from "../filters";
import { apiPath, BrandMark, lookOf, Pager, SampleData, type PanelBrand, type TabProps } from "../pieces";

type Report<Row> = Omit<SearchReport, "rows"> & { rows: Row[] };
type ListQuery = ReturnType<typeof numberQuery> & { q?: string; brand?: string; limit: number; offset: number };

interface ContentListProps<Row, Full extends Report<Row>> extends Pick<TabProps, "tracker" | "panel"> {
  /** The last part of the API path, which is also the plural of the rows. */
  name: string;
  /** The option of a target that requests the rows. */
  option: string;
  about: string;
  load: (request: { params: { name: string }; query: ListQuery; signal: AbortSignal }) => Promise<Full>;
  rowKey: (row: Row) => string;
  cells: Cells<Row>;
  csv: Record<string, (row: Row) => CSVValue>;
  /** What follows the table. */
  after?: (report: Full) => ComponentChildren;
}

/** A list with its filters. */
export function ContentList<Row, Full extends Report<Row>>(props: ContentListProps<Row, Full>) {
  const { tracker, panel, name } = props;
  const { q, brand } = route.value.query;
  const query = { ...numberQuery(tracker), q: q?.trim() || undefined, brand };
  return (
    <>
      <FilterLine tracker={tracker} />
      <div class="filters" role="group" aria-label="Rows">
        <SearchField name="q" label={`Search ${name}`} maxLength={500} />
        {panel.length > 0 && <ChoiceField name="brand" all="All brands" values={() => panel.map((one) => one.name)} />}
      </div>
      <Pages key={JSON.stringify(query)} {...props} query={query} />
      <AsCall path={apiPath(tracker.name, `/${name}`)} query={query} />
    </>
  );
}

const pageSize = 50;
/** The most rows that the API returns at once. */
const mostRows = 500;

type PagesProps<Row, Full extends Report<Row>> = ContentListProps<Row, Full> & {
  query: Omit<ListQuery, "limit" | "offset">;
};

function Pages<Row, Full extends Report<Row>>({ query, load, ...props }: PagesProps<Row, Full>) {
  const { tracker, name, about, cells, rowKey, csv, after } = props;
  const [offset, setOffset] = useState(0);
  const read = (limit: number, offset: number, signal: AbortSignal) =>
    retryRateLimited(
      () => load({ params: { name: tracker.name }, query: { ...query, limit, offset }, signal }),
      signal,
    );
  const loaded = useLoad((signal) => read(pageSize, offset, signal), [tracker, offset]);
  const saved = useAction(async () => {
    const rows: Row[] = [];
    const { signal } = new AbortController();
    for (let more = true; more; ) {
      const page = await read(mostRows, rows.length, signal);
      rows.push(...page.rows);
      more = page.more;
    }
    download(csvOf(rows, csv), `${tracker.name}-${name}.csv`);
  });
  const { value } = loaded;
  if (!value) return <Loading of={loaded} lines={10} />;
  if (!value.answers) return <NotReported {...props} report={value} />;
  return (
    <>
      <Loading of={loaded} />
      <SampleData when={value.madeUp} />
      <section class="card" data-testid={name}>
        <div class="title-line">
          <div>
            <h2>
              {name.charAt(0).toUpperCase() + name.slice(1)} <span class="faint">{number(value.total)}</span>
            </h2>
            <p class="faint">{about}</p>
          </div>
          {value.total > 0 && <Button text="CSV" class="small" disabled={saved.busy} onClick={() => saved.run()} />}
        </div>
        <Failed error={saved.error} again={saved.run} stale />
        {value.total > 0 ? (
          <CardTable label={name} rows={value.rows} rowKey={rowKey} cells={cells} />
        ) : (
          <Empty title={query.q || query.brand ? `No ${name} match` : `No ${name} in these answers`}>
            {(query.q || query.brand) && (
              <Button text="Clear search" onClick={() => changeQuery({ q: "", brand: "" })} />
            )}
          </Empty>
        )}
        {value.total > pageSize && (
          <Pager
            from={offset}
            rows={value.rows.length}
            total={value.total}
            size={pageSize}
            more={value.more}
            turn={(by) => setOffset(offset + by * pageSize)}
          />
        )}
        <p class="basis">
          <span>
            <strong>{number(value.answers)}</strong> {value.answers === 1 ? "answer" : "answers"}
          </span>
          {value.sweeps < value.sweepsInPeriod ? (
            <span>
              Sample: all answers of {number(value.sweeps)} of {counted(value.sweepsInPeriod, "sweep")}
            </span>
          ) : (
            <span>{counted(value.sweeps, "sweep")}</span>
          )}
          <LeftOut name={name} of={value} />
        </p>
      </section>
      {after?.(value)}
    </>
  );
}

type LeftOutProps = { name: string; of: Pick<SearchReport, "notRequested" | "notOffered"> };

/** How many answers the shares do not count, and why. */
const LeftOut = ({ name, of: { notRequested, notOffered } }: LeftOutProps) => (
  <>
    {notRequested > 0 && (
      <span>
        {counted(notRequested, "answer")} left out: {name} not requested
      </span>
    )}
    {notOffered > 0 && (
      <span>
        {counted(notOffered, "answer")} left out: the platform does not report {name}
      </span>
    )}
  </>
);

type NotReportedProps = Pick<TabProps, "tracker"> & { name: string; option: string; report: Report<unknown> };

/** The empty state of a list that no answer reports. */
function NotReported({ tracker, name, option, report }: NotReportedProps) {
  if (!report.notRequested && !report.notOffered) return <NothingLeft tracker={tracker} />;
  return (
    <Empty title={`No answer reports ${name}`}>
      <p>
        To request them, set <code>options.include.{option}</code> of a <code>chatassistant</code> target to{" "}
        <code>true</code> in the <a href={addressOf(tracker.name, "definition")}>settings</a>. This costs additional
        credits.
      </p>
      <p class="basis">
        <LeftOut name={name} of={report} />
      </p>
    </Empty>
  );
}

/** Returns the columns that end every list. */
export const seenCells = (tracker: string): Cells<{ firstSeen: string; lastSeen: string; newest: string }> => ({
  "First seen": ({ firstSeen }) => <When at={firstSeen} brief />,
  "Newest answer": ({ lastSeen, newest }) => (
    <a href={addressOf(tracker, "answers", {}, newest)}>
      <When at={lastSeen} brief />
    </a>
  ),
});

/** Brands with their marks. */
export const Brands = ({ of, panel }: { of: string[]; panel: PanelBrand[] }) => (
  <ul class="plain-list backs">
    {of.map((brand) => (
      <li key={brand}>
        <BrandMark look={lookOf(panel, brand)} /> <bdi>{brand}</bdi>
      </li>
    ))}
  </ul>
);
