// Prompts by target: how often the brand is named, one page of prompts at a time. No request asks for more than one
// page, so trackers may have any number of prompts.
import { useRef } from "preact/hooks";
import { AsCall } from "../ascall";
import { call, retryRateLimited } from "../api";
import type { ComparedRow, MetricReport, MetricRow, Tracker } from "earshot";
import { route } from "../state";
import { targetLabel } from "../names";
import { useOverflow } from "../table";
import { Button, Failed, Loading, number, Select, together, useLoad } from "../ui";
import { addressOf, answersAddress, numberQuery, setQuery } from "./address";
import { FilterLine, NoBrands, NothingLeft } from "./filters";
import { havingBrands, useCompare, useMetrics } from "./numbers";
import { orders, sortedRows, type Order } from "./order";
import { Overview } from "./overview";
import type { PanelBrand, TabProps } from "./pieces";
import { apiPath, Badges, Delta, leadOf, Pager, SampleData, StrongValue, Value } from "./pieces";
import { range } from "./words";

export function Prompts(props: TabProps) {
  return route.value.query.prompt ? <OnePrompt {...props} /> : <Matrix {...props} />;
}

/** One prompt over time: the overview of its answers. */
function OnePrompt(props: TabProps) {
  const { tracker } = props;
  const query = numberQuery(tracker);
  const { value } = useMetrics(tracker.name, { ...query, metric: "coverage", by: "prompt" }, tracker);
  const text = value?.rows[0]?.prompt;
  return (
    <>
      <p>
        <a href={addressOf(tracker.name, "prompts")}>← All prompts</a>
      </p>
      <h2 class="prompt-title">{text ?? `Prompt ${route.value.query.prompt}`}</h2>
      {text && <Tags tags={tagsOf(tracker).get(text)} />}
      <Overview {...props} />
    </>
  );
}

const pageSize = 30;
/** Rows of one request for the order of all prompts: about 560 KB. */
const chunk = 1000;

/** Returns the row of every prompt over all targets, in requests of a bounded size. */
async function allPrompts(
  name: string,
  query: Parameters<typeof useMetrics>[1],
  signal: AbortSignal,
): Promise<MetricReport> {
  let report: MetricReport | undefined;
  for (;;) {
    const next = await retryRateLimited(
      () =>
        call("GET /v1/trackers/{name}/metrics", {
          params: { name },
          query: { ...query, limit: chunk, offset: report?.rows.length ?? 0 },
          signal,
        }),
      signal,
    );
    report = { ...next, rows: [...(report?.rows ?? []), ...next.rows] };
    if (!next.more) return report;
  }
}

const tagsOf = (tracker: Tracker) =>
  new Map((tracker.definition?.prompts ?? []).map((p) => (typeof p === "string" ? [p, undefined] : [p.text, p.tags])));

/** Rows of one request for the changes of all prompts: about 170 KB. */
const changeChunk = 200;

/** Returns the change of every prompt by its number, in requests of a bounded size. */
async function allChanges(name: string, query: Parameters<typeof useCompare>[1], signal: AbortSignal) {
  const rows: ComparedRow[] = [];
  for (let total = 1; rows.length < total; ) {
    const page = { ...query, by: "prompt", limit: changeChunk, offset: rows.length } as const;
    const next = await retryRateLimited(
      () => call("GET /v1/trackers/{name}/compare", { params: { name }, query: page, signal }),
      signal,
    );
    rows.push(...next.rows);
    total = next.rows.length ? next.total : 0;
  }
  return new Map(rows.map((row) => [row.promptId, row]));
}

function Matrix({ tracker, panel }: TabProps) {
  const lead = leadOf(panel);
  const { query: address } = route.value;
  const branded = address.branded === "yes" || undefined;
  const having = lead ? havingBrands([lead]) : undefined;
  const asked = { ...numberQuery(tracker), branded, metric: "visibility", having };
  const all = useLoad(
    (signal) => (lead ? allPrompts(tracker.name, { ...asked, by: "prompt" }, signal) : Promise.resolve(undefined)),
    [tracker, JSON.stringify(asked)],
  );
  const order: Order = Object.hasOwn(orders, address.sort ?? "") ? (address.sort as Order) : "-value";
  const byChange = order.endsWith("change");
  const changes = useLoad(
    async (signal) => (lead && byChange ? allChanges(tracker.name, asked, signal) : new Map()),
    [tracker, JSON.stringify(asked), byChange],
  );
  const rows = sortedRows(all.value?.rows ?? [], order, address.q ?? "", changes.value ?? new Map());
  const pages = Math.max(1, Math.ceil(rows.length / pageSize));
  const page = Math.min(Math.max(1, Math.floor(Number(address.page)) || 1), pages);
  const before = (page - 1) * pageSize;
  const shown = rows.slice(before, before + pageSize);
  if (!lead) return <NoBrands tracker={tracker} />;
  return (
    <>
      <SampleData when={tracker.demo || all.value?.madeUp} />
      <FilterLine tracker={tracker} against />
      <Loading of={all} lines={10} />
      <Failed error={changes.error} again={changes.again} stale={!!all.value} />
      {all.value?.rows.length === 0 && <NothingLeft tracker={tracker} />}
      {!!all.value?.rows.length && (
        <section class="card" aria-label="Prompts by target">
          <div class="title-line">
            <h2>
              Prompts by target <span class="faint">{number(all.value.rows.length)}</span>
            </h2>
            <span class="filters">
              <input
                type="search"
                aria-label="Search prompts"
                placeholder="Search…"
                value={address.q ?? ""}
                onInput={(event) => setQuery({ q: event.currentTarget.value, page: "" })}
              />
              <Select
                aria-label="Sort by"
                value={order}
                options={Object.entries(orders)}
                onChoose={(sort) => setQuery({ sort: sort === "-value" ? "" : sort, page: "" })}
              />
              <Button
                text="Include branded prompts"
                class="small"
                aria-pressed={!!branded}
                onClick={() => setQuery({ branded: branded ? "" : "yes", page: "" })}
              />
            </span>
          </div>
          <HeatKey brand={lead} />
          {shown.length > 0 ? (
            <Cells key={branded ? 1 : 0} tracker={tracker} lead={lead} rows={shown} asked={asked} order={order} />
          ) : (
            <p>No prompts match “{address.q}”</p>
          )}
          <Pager
            from={before}
            rows={shown.length}
            total={rows.length}
            size={pageSize}
            more={page < pages}
            turn={(by) => setQuery({ page: String(page + by) })}
          />
        </section>
      )}
      <p class="faint">
        Each cell shows the share and number of answers that name the brand. Select a cell to read them. Changes compare
        with the period before, on all targets. Small numbers are uncertain: with 28 answers, 50 % may be 33–67 %.
      </p>
      <AsCall path={apiPath(tracker.name, "/metrics")} query={{ ...asked, by: "prompt,target" }} />
    </>
  );
}

const steps = ["0", "1–9", "10–24", "25–39", "40–54", "55–69", "70–100 %"];
/** Returns the color step of a share, from its rounded percent, so that color and number agree. */
function heatOf(share: number): number {
  const rounded = Math.round(100 * share);
  return [1, 10, 25, 40, 55, 70].filter((from) => rounded >= from).length;
}

function HeatKey({ brand }: { brand: PanelBrand }) {
  return (
    <p class="heat-key">
      <span class="faint">
        Answers that name <bdi>{brand.name}</bdi>
      </span>
      {steps.map((words, i) => (
        <span key={words} class={`cell l${i}`}>
          {words}
        </span>
      ))}
      <span class="cell lq">no brand named</span>
      <span class="cell lm">fewer than 5 answers</span>
    </p>
  );
}

interface CellsProps {
  tracker: Tracker;
  lead: PanelBrand;
  rows: MetricRow[];
  asked: NonNullable<Parameters<typeof useMetrics>[1]>;
  order: Order;
}

function Cells({ tracker, lead, rows, asked, order }: CellsProps) {
  const ids = rows.map(({ promptId }) => `prompt:${promptId}`).join(",");
  const filter = asked.filter ? `${asked.filter},${ids}` : ids;
  const cells = useMetrics(tracker.name, { ...asked, filter, by: "prompt,target" }, tracker);
  const informative = useMetrics(
    tracker.name,
    { ...asked, filter, metric: "informative", having: undefined, by: "prompt" },
    tracker,
  );
  const changes = useCompare(tracker.name, { ...asked, filter, by: "prompt" }, tracker);
  const changeOf = new Map((changes.value?.rows ?? []).map((row) => [row.promptId, row]));
  const targets = [...new Set((cells.value?.rows ?? []).map(({ target }) => target))];
  const cellOf = new Map((cells.value?.rows ?? []).map((row) => [`${row.promptId} ${row.target}`, row]));
  const namingOf = new Map((informative.value?.rows ?? []).map((row) => [row.promptId, row]));
  const tags = tagsOf(tracker);
  const sort = (column: "value" | "change" | "text") => ({
    "aria-sort":
      order === column ? ("ascending" as const) : order === `-${column}` ? ("descending" as const) : ("none" as const),
  });
  const box = useRef<HTMLDivElement>(null);
  const overflows = useOverflow(box);
  return (
    <>
      <Failed {...together(cells, informative, changes)} stale={!!cells.value} />
      {overflows && <p class="faint sideways">Scroll right for more targets →</p>}
      <div class="scroll heat-box" ref={box} role="region" tabIndex={0} aria-label="Prompts by target, scrollable">
        <table class="heat" data-testid="matrix" aria-busy={!cells.value}>
          <thead>
            <tr>
              <th scope="col" {...sort("text")}>
                <Button text="Prompt" onClick={() => setQuery({ sort: "text", page: "" })} />
              </th>
              <th scope="col" class="number">
                Answers naming any brand
              </th>
              <th scope="col" class="number" {...sort("value")}>
                <Button
                  text="All targets"
                  onClick={() => setQuery({ sort: order === "-value" ? "value" : "", page: "" })}
                />
              </th>
              <th scope="col" {...sort("change")}>
                <Button
                  text="Change (points)"
                  onClick={() => setQuery({ sort: order === "change" ? "-change" : "change", page: "" })}
                />
              </th>
              {targets.map((target) => (
                <th key={target} scope="col" class="target">
                  {targetLabel(target)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const naming = namingOf.get(row.promptId);
              const silent = naming?.value === 0;
              return (
                <tr key={row.promptId}>
                  <th scope="row">
                    <a href={addressOf(tracker.name, "prompts", { prompt: String(row.promptId) })}>{row.prompt}</a>
                    <Tags tags={tags.get(row.prompt ?? "")} />
                  </th>
                  <td class={`number fact ${silent ? "warn" : ""}`} data-label="Answers naming any brand">
                    <Value of={naming?.value} />
                  </td>
                  <td class="number fact" data-label="All targets">
                    {row.denominator === 0 ? (
                      <span class="faint">No answers</span>
                    ) : silent ? (
                      <span class="faint">No brand named</span>
                    ) : (
                      <>
                        <StrongValue of={row.value} />
                        <div class="faint">{range(row.interval?.rerun)}</div>
                      </>
                    )}
                  </td>
                  <td class="fact" data-label="Change (points)">
                    <Delta row={changeOf.get(row.promptId)} own={lead.own} />
                  </td>
                  {targets.map((target) => (
                    <Cell
                      key={target}
                      tracker={tracker.name}
                      target={target}
                      row={cellOf.get(`${row.promptId} ${target}`)}
                      silent={silent}
                    />
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** A share with its count. A cell with fewer than five answers is hatched; a cell without answers has no share. */
function Cell({ tracker, target, row, silent }: { tracker: string; target: string; row?: MetricRow; silent: boolean }) {
  if (!row || row.value == null || row.denominator === 0)
    return (
      <td class="cell-box" data-label={targetLabel(target)} data-target={target}>
        <span class="cell lm">no data</span>
      </td>
    );
  const few = row.denominator < 5;
  const look = few ? "lm" : silent ? "lq" : `l${heatOf(row.value)}`;
  return (
    <td class="cell-box" data-label={targetLabel(target)} data-target={target}>
      <a class={`cell ${look}`} href={answersAddress(tracker, row.answersUrl, silent ? undefined : row.brand)}>
        <b>{silent ? "no brand" : <Value of={row.value} />}</b>
        <small>
          {number(row.numerator)}/{number(row.denominator)}
          <span class="hidden-words"> answers{few && ", fewer than 5"}</span>
        </small>
      </a>
    </td>
  );
}

const Tags = ({ tags }: { tags?: string[] }) =>
  tags?.length ? (
    <div class="tags">
      <Badges of={tags} />
    </div>
  ) : null;
