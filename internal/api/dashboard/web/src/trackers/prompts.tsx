// Prompts by target: how often the brand is named where, a page of questions at a time.
// No request is larger than one page of them, however many there are.
import { useRef } from "preact/hooks";
import { AsCall } from "../ascall";
import { call, patiently } from "../api";
import type { MetricReport, MetricRow, Tracker } from "../api.gen";
import { route } from "../state";
import { Button, number, useLoad, useOverflow } from "../ui";
import { addressOf, answersAddress, keptFilters, numberQuery, setQuery } from "./address";
import { FilterLine, NoBrands, NothingLeft } from "./filters";
import { havingBrands, useCompare, useMetrics } from "./numbers";
import { Overview } from "./overview";
import { Delta, Failed, leadOf, MadeUp, Skeleton, Value, type PanelBrand } from "./pieces";
import type { TabProps } from "./pieces";
import { range } from "./words";

export function Prompts(props: TabProps) {
  return route.value.query.prompt ? <OnePrompt {...props} /> : <Matrix {...props} />;
}

/** One question over time: the overview, of its answers alone. */
function OnePrompt(props: TabProps) {
  const { tracker } = props;
  const query = numberQuery(tracker);
  const { value } = useMetrics(tracker.name, { ...query, metric: "coverage", by: "prompt" }, tracker);
  const text = value?.rows[0]?.prompt;
  return (
    <>
      <p>
        <a href={addressOf(tracker.name, "prompts", keptFilters())}>← All prompts</a>
      </p>
      <h2 class="prompt-title">{text ?? `Question ${route.value.query.prompt}`}</h2>
      {text && <Tags tags={tagsOf(tracker).get(text)} />}
      <Overview {...props} />
    </>
  );
}

const pageSize = 30;
/** Rows of one request for the order of all questions: some 560 KB. */
const chunk = 1000;

const orders = {
  "-value": "Highest visibility first",
  value: "Lowest visibility first",
  text: "By question",
  asked: "As defined",
} as const;
type Order = keyof typeof orders;

/** The row of every question over all targets, in requests of a bounded size. */
async function allPrompts(
  name: string,
  query: Parameters<typeof useMetrics>[1],
  signal: AbortSignal,
): Promise<MetricReport> {
  let report: MetricReport | undefined;
  for (;;) {
    const next = await patiently(
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

function sortedRows(rows: MetricRow[], order: Order, search: string): MetricRow[] {
  const found = search
    ? rows.filter(({ prompt = "" }) => prompt.toLowerCase().includes(search.toLowerCase()))
    : [...rows];
  if (order === "asked") return found;
  if (order === "text") return found.sort((a, b) => (a.prompt ?? "").localeCompare(b.prompt ?? ""));
  // What has no answers stands last in either order.
  return found.sort((a, b) =>
    a.value == null ? 1 : b.value == null ? -1 : order === "value" ? a.value - b.value : b.value - a.value,
  );
}

function Matrix({ tracker, panel }: TabProps) {
  const lead = leadOf(panel);
  const { query: address } = route.value;
  const branded = address.branded === "yes" || undefined;
  const asked = {
    ...numberQuery(tracker),
    branded,
    metric: "visibility",
    having: lead ? havingBrands([lead]) : undefined,
  };
  const all = useLoad(
    (signal) => (lead ? allPrompts(tracker.name, { ...asked, by: "prompt" }, signal) : Promise.resolve(undefined)),
    [tracker, JSON.stringify(asked)],
  );
  const order: Order = Object.hasOwn(orders, address.sort ?? "") ? (address.sort as Order) : "-value";
  const rows = sortedRows(all.value?.rows ?? [], order, address.q ?? "");
  const page = Math.min(
    Math.max(1, Math.floor(Number(address.page)) || 1),
    Math.max(1, Math.ceil(rows.length / pageSize)),
  );
  const before = (page - 1) * pageSize;
  const shown = rows.slice(before, before + pageSize);
  if (!lead) return <NoBrands tracker={tracker} />;
  return (
    <>
      <MadeUp when={all.value?.madeUp} />
      <FilterLine tracker={tracker} against />
      <Failed error={all.error} again={all.again} stale={!!all.value} />
      {!all.value && !all.error && <Skeleton lines={10} label="Loading the prompts" />}
      {all.value && all.value.rows.length === 0 && <NothingLeft tracker={tracker} />}
      {all.value && all.value.rows.length > 0 && (
        <section class="card" aria-label="Prompts by target">
          <div class="title-line">
            <h2>
              Prompts by target{" "}
              <span class="faint">
                {number(all.value.rows.length)}
                {branded ? ", those that name a brand among them" : ""}
              </span>
            </h2>
            <span class="filters">
              <input
                type="search"
                aria-label="Find a prompt"
                placeholder="Find…"
                value={address.q ?? ""}
                onInput={(event) => setQuery({ q: event.currentTarget.value, page: "" })}
              />
              <select
                aria-label="Order"
                value={order}
                onChange={(event) =>
                  setQuery({ sort: event.currentTarget.value === "-value" ? "" : event.currentTarget.value, page: "" })
                }>
                {Object.entries(orders).map(([value, words]) => (
                  <option key={value} value={value}>
                    {words}
                  </option>
                ))}
              </select>
              <Button
                text="Prompts that name a brand, too"
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
            <p>No prompt has “{address.q}” in it.</p>
          )}
          <div class="pager">
            <span class="faint">
              {shown.length
                ? `${number(before + 1)} to ${number(before + shown.length)} of ${number(rows.length)}`
                : "none"}
            </span>
            {rows.length > pageSize && (
              <span>
                <Button
                  text="Before"
                  class="small"
                  disabled={page === 1}
                  onClick={() => setQuery({ page: String(page - 1) })}
                />{" "}
                <Button
                  text="After"
                  class="small"
                  disabled={page * pageSize >= rows.length}
                  onClick={() => setQuery({ page: String(page + 1) })}
                />
              </span>
            )}
          </div>
        </section>
      )}
      <p class="faint">
        Informative: share of answers that name any brand of the panel. A cell shows the share and, under it, in how
        many answers of how many; it opens the answers that name the brand. The change is against as many days before,
        on all targets; the questions of a page are tested together, so that many at once raise no false alarm. Small
        counts are uncertain: with 28 answers, 50 % can be 33 to 67 %.
      </p>
      <AsCall
        path={`/v1/trackers/${encodeURIComponent(tracker.name)}/metrics`}
        query={{ ...asked, by: "prompt,target" }}
      />
    </>
  );
}

const steps = ["0", "1–9", "10–24", "25–39", "40–54", "55–69", "70–100 %"];
/** The step of a share, from its rounded percent, so that colour and number agree. */
export function heatOf(share: number): number {
  const rounded = Math.round(100 * share);
  return [1, 10, 25, 40, 55, 70].filter((from) => rounded >= from).length;
}

function HeatKey({ brand }: { brand: PanelBrand }) {
  return (
    <p class="heat-key">
      <span class="faint">{brand.name} named in</span>
      {steps.map((words, i) => (
        <span key={words} class={`cell l${i}`}>
          {words}
        </span>
      ))}
      <span class="cell lq">no brand named</span>
      <span class="cell lm">under 5 answers</span>
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
  const toldOf = new Map((informative.value?.rows ?? []).map((row) => [row.promptId, row]));
  const tags = tagsOf(tracker);
  const sort = (column: "value" | "text") => ({
    "aria-sort":
      order === column ? ("ascending" as const) : order === `-${column}` ? ("descending" as const) : ("none" as const),
  });
  const box = useRef<HTMLDivElement>(null);
  const overflows = useOverflow(box);
  return (
    <>
      <Failed
        error={cells.error ?? informative.error ?? changes.error}
        again={() => {
          cells.again();
          informative.again();
          changes.again();
        }}
        stale={!!cells.value}
      />
      {overflows && <p class="faint sideways">Scroll sideways for the other targets →</p>}
      <div
        class="scroll heat-box"
        ref={box}
        role="region"
        tabIndex={0}
        aria-label="Prompts by target, scrolls sideways">
        <table class="heat" data-testid="matrix" aria-busy={!cells.value}>
          <thead>
            <tr>
              <th scope="col" {...sort("text")}>
                <Button text="Prompt" onClick={() => setQuery({ sort: "text", page: "" })} />
              </th>
              <th scope="col" class="number">
                Informative
              </th>
              <th scope="col" class="number" {...sort("value")}>
                <Button
                  text="All targets"
                  onClick={() => setQuery({ sort: order === "-value" ? "value" : "", page: "" })}
                />
              </th>
              <th scope="col">Change, points</th>
              {targets.map((target) => (
                <th key={target} scope="col" class="target">
                  {target.replaceAll("/", " ")}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const told = toldOf.get(row.promptId);
              const silent = told?.value === 0;
              return (
                <tr key={row.promptId}>
                  <th scope="row">
                    <a href={addressOf(tracker.name, "prompts", { ...keptFilters(), prompt: String(row.promptId) })}>
                      {row.prompt}
                    </a>
                    <Tags tags={tags.get(row.prompt ?? "")} />
                  </th>
                  <td class={`number fact ${silent ? "warn" : ""}`} data-label="Informative">
                    <Value of={told?.value} />
                  </td>
                  <td class="number fact" data-label="All targets">
                    {row.denominator === 0 ? (
                      <span class="faint">not counted</span>
                    ) : silent ? (
                      <span class="faint">no brand named</span>
                    ) : (
                      <>
                        <strong>
                          <Value of={row.value} />
                        </strong>
                        <div class="faint">{range(row.interval?.rerun)}</div>
                      </>
                    )}
                  </td>
                  <td class="fact" data-label="Change, points">
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

/** A share with its count. Below five answers it is hatched, and what was never answered is no zero. */
function Cell({ tracker, target, row, silent }: { tracker: string; target: string; row?: MetricRow; silent: boolean }) {
  if (!row || row.value == null || row.denominator === 0)
    return (
      <td class="cell-box" data-label={target}>
        <span class="cell lm">missing</span>
      </td>
    );
  const few = row.denominator < 5;
  const look = few ? "lm" : silent ? "lq" : `l${heatOf(row.value)}`;
  return (
    <td class="cell-box" data-label={target}>
      <a class={`cell ${look}`} href={answersAddress(tracker, row.answersUrl, silent ? undefined : row.brand)}>
        <b>{silent ? "no brand" : <Value of={row.value} />}</b>
        <small>
          {number(row.numerator)}/{number(row.denominator)}
          <span class="hidden-words"> answers{few && ", under 5"}</span>
        </small>
      </a>
    </td>
  );
}

function Tags({ tags }: { tags?: string[] }) {
  return tags?.length ? (
    <div class="tags">
      {tags.map((tag) => (
        <span key={tag} class="badge">
          {tag}
        </span>
      ))}
    </div>
  ) : null;
}
