// The filters of a tracker: period, targets, platforms, countries and tags. They are in the address.
import type { Target, Tracker } from "earshot";
import { productName, targetLabel } from "../names";
import { countryName, route } from "../state";
import { dateText, dayLength, timeText, utcDay } from "../time";
import { Button, counted, Empty, Select } from "../ui";
import { addressOf, numberQuery, periodOf, setQuery, usualDays } from "./address";

const spans = [7, usualDays, 90];

const unique = (values: (string | undefined)[]) => [...new Set(values.filter((v): v is string => !!v))].sort();

/** Returns what a tracker can be filtered by. */
export function choicesOf({ definition }: Tracker) {
  const targets = definition?.targets ?? [];
  return {
    targets: unique(targets.map(targetName)),
    providers: unique(targets.map(({ provider }) => provider)),
    countries: unique(targets.map(({ country }) => country)),
    tags: unique((definition?.prompts ?? []).flatMap((p) => (typeof p === "string" ? [] : (p.tags ?? [])))),
  };
}

/** Returns the name of a target in numbers and answers. */
export const targetName = ({ provider, country, state, device, language }: Target) =>
  [provider, country, state, device, language].filter(Boolean).join("/");

type FilterLineProps = { tracker: Tracker; surfaces?: string[]; against?: boolean };

/** The filters. If against is set, the page compares the period with the one before. */
export function FilterLine({ tracker, surfaces = [], against }: FilterLineProps) {
  const period = periodOf(tracker);
  const { targets, providers, countries, tags } = choicesOf(tracker);
  const date = (label: string, name: "from" | "to", limits: { min?: string; max?: string }) => (
    <input
      type="date"
      aria-label={label}
      value={period[name]}
      {...limits}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <div class="filters" role="group" aria-label="Filters">
      <div class="segments" role="group" aria-label="Period">
        {spans.map((days) => (
          <Button
            key={days}
            text={`${days} days`}
            aria-pressed={!period.chosen && period.days === days}
            onClick={() => setQuery({ days: days === usualDays ? "" : String(days), from: "", to: "" })}
          />
        ))}
        <Button
          text="Custom…"
          aria-pressed={period.chosen}
          onClick={() => setQuery({ days: "", from: period.from, to: period.to })}
        />
      </div>
      {period.chosen && (
        <span class="dates">
          {date("From", "from", { max: period.to })}
          {date("To", "to", { min: period.from })}
        </span>
      )}
      <span class="faint">
        {dateText(period.from)} – {dateText(period.to)}
        {against && `, compared with the ${counted(period.days, "day")} before`}
      </span>
      <span class="choices">
        <Choice name="surface" all="All surfaces" values={surfaces} />
        <Choice name="target" all="All targets" values={targets} show={targetLabel} />
        <Choice name="provider" all="All platforms" values={providers} show={productName} />
        <Choice name="country" all="All countries" values={countries} show={countryName} />
        <Choice name="tag" all="All tags" values={tags} />
      </span>
    </div>
  );
}

type ChoiceProps = { name: string; all: string; values: string[]; show?: (value: string) => string };

/** A filter of the address; hidden if there is nothing to choose. */
function Choice({ name, all, values, show = (v) => v }: ChoiceProps) {
  const chosen = route.value.query[name] ?? "";
  if (values.length < 2 && !chosen) return null;
  const options = [...new Set(chosen ? [...values, chosen] : values)].map((value) => [value, show(value)] as const);
  const choose = (value: string) => setQuery({ [name]: value });
  return <Select aria-label={all} all={all} value={chosen} options={options} onChoose={choose} />;
}

/** The empty state of a tracker without brands. */
export const NoBrands = ({ tracker }: { tracker: Tracker }) => (
  <Empty title="No brands yet">
    <p>
      Add brands in the <a href={addressOf(tracker.name, "definition")}>settings</a>. Existing answers are then analyzed
      again, free of charge.
    </p>
  </Empty>
);

/** The empty state of a page whose filters match no answers. */
export function NothingLeft({ tracker }: { tracker: Tracker }) {
  const { filter } = numberQuery(tracker);
  const { lastSweep, nextSweepAt } = tracker;
  const showLast = () => {
    const from = utcDay(Date.parse(lastSweep!.dueAt) - 27 * dayLength);
    setQuery({ days: "", to: lastSweep!.dueAt.slice(0, 10), from });
  };
  const clear = () => setQuery({ surface: "", target: "", provider: "", country: "", tag: "" });
  return (
    <Empty title={filter ? "No answers match these filters" : "No answers in this period"}>
      {filter && <Button text="Clear filters" onClick={clear} />}
      {!filter && !lastSweep && (
        <p>{nextSweepAt ? `The first sweep starts on ${timeText(nextSweepAt)}.` : "No sweep has run yet."}</p>
      )}
      {!filter && lastSweep && <Button text="Show the 28 days before the last sweep" onClick={showLast} />}
    </Empty>
  );
}
