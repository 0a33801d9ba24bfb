// The line of filters: which days, targets and tags. Its state is in the address.
import { useState } from "preact/hooks";
import type { Target, Tracker } from "../api.gen";
import { countryName, route } from "../state";
import { addressOf, numberQuery, periodOf, setQuery, usualDays } from "./address";
import { Button, counted } from "../ui";
import { dayWords } from "./words";

const spans = [7, usualDays, 90];

/** What a tracker can be filtered by. */
export interface Choices {
  targets: string[];
  providers: string[];
  countries: string[];
  tags: string[];
}

const unique = (values: (string | undefined)[]) => [...new Set(values.filter((v): v is string => !!v))].sort();

export function choicesOf({ definition }: Tracker): Choices {
  const targets = definition?.targets ?? [];
  return {
    targets: unique(targets.map(targetName)),
    providers: unique(targets.map(({ provider }) => provider)),
    countries: unique(targets.map(({ country }) => country)),
    tags: unique((definition?.prompts ?? []).flatMap((p) => (typeof p === "string" ? [] : (p.tags ?? [])))),
  };
}

/** The name of a target as numbers and answers have it. */
export const targetName = ({ provider, country, state, device, language }: Target) =>
  [provider, country, state, device, language].filter(Boolean).join("/");

type FilterLineProps = { tracker: Tracker; surfaces?: string[]; against?: boolean };

/** The filters. Surfaces are given by the page where its numbers have several: they are never mixed. */
export function FilterLine({ tracker, surfaces = [], against }: FilterLineProps) {
  const period = periodOf(tracker);
  const [dates, setDates] = useState(period.chosen);
  const { targets, providers, countries, tags } = choicesOf(tracker);
  return (
    <div class="filters" role="group" aria-label="Filters">
      <div class="segments" role="group" aria-label="Period">
        {spans.map((days) => (
          <button
            key={days}
            type="button"
            aria-pressed={!dates && period.days === days}
            onClick={() => {
              setDates(false);
              setQuery({ days: days === usualDays ? "" : String(days), from: "", to: "" });
            }}>
            {days} days
          </button>
        ))}
        <Button
          text="Dates…"
          aria-pressed={dates}
          onClick={() => {
            setDates(true);
            setQuery({ days: "", from: period.from, to: period.to });
          }}
        />
      </div>
      {dates && (
        <span class="dates">
          <input
            type="date"
            aria-label="From"
            value={period.from}
            max={period.to}
            onChange={(event) => setQuery({ from: event.currentTarget.value })}
          />
          <input
            type="date"
            aria-label="To"
            value={period.to}
            min={period.from}
            onChange={(event) => setQuery({ to: event.currentTarget.value })}
          />
        </span>
      )}
      <span class="faint">
        {dayWords(period.from)} to {dayWords(period.to)}
        {against && `, against the ${counted(period.days, "day")} before`}
      </span>
      <span class="choices">
        <Choice name="surface" all="All surfaces" values={surfaces} />
        <Choice name="target" all="All targets" values={targets} />
        <Choice name="provider" all="All providers" values={providers} />
        <Choice name="country" all="All countries" values={countries} show={countryName} />
        <Choice name="tag" all="All tags" values={tags} />
      </span>
    </div>
  );
}

type ChoiceProps = { name: string; all: string; values: string[]; show?: (value: string) => string };

/** A list of values to filter by; one that the address names is in it in any case. */
function Choice({ name, all, values, show = (v) => v }: ChoiceProps) {
  const chosen = route.value.query[name] ?? "";
  if (values.length < 2 && !chosen) return null;
  const offered = !chosen || values.includes(chosen) ? values : [...values, chosen];
  return (
    <select aria-label={all} value={chosen} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
      <option value="">{all}</option>
      {offered.map((value) => (
        <option key={value} value={value}>
          {show(value)}
        </option>
      ))}
    </select>
  );
}

/** What to say where there is nobody to count. */
export function NoBrands({ tracker }: { tracker: Tracker }) {
  return (
    <div class="empty">
      <h3>No brand to look for</h3>
      <p>
        Add brands to the <a href={addressOf(tracker.name, "definition")}>definition</a>; kept answers are looked
        through again at no cost.
      </p>
    </div>
  );
}

/** What to say where filters leave nothing: which of them to drop. */
export function NothingLeft({ tracker }: { tracker: Tracker }) {
  const { filter } = numberQuery(tracker);
  const last = tracker.lastSweep;
  return (
    <div class="empty">
      <h3>No answers {filter ? `with ${filter.replaceAll(",", ", ")} ` : ""}in this time</h3>
      {filter && (
        <Button
          text="Drop these filters"
          onClick={() => setQuery({ surface: "", target: "", provider: "", country: "", tag: "" })}
        />
      )}
      {!filter && !last && (
        <p>
          No sweep has run yet
          {tracker.nextSweepAt ? `; the first is due ${new Date(tracker.nextSweepAt).toLocaleString()}` : ""}.
        </p>
      )}
      {!filter && last && (
        <Button
          text="Show the 28 days up to the last sweep"
          onClick={() =>
            setQuery({
              days: "",
              to: last.dueAt.slice(0, 10),
              from: new Date(Date.parse(last.dueAt) - 27 * 86_400_000).toISOString().slice(0, 10),
            })
          }
        />
      )}
    </div>
  );
}
