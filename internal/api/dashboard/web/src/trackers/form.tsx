// The form of a tracker's settings. Settings without a field of their own stay unchanged.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Brand, FieldProblem, Provider, Schedule, Target, TrackedPrompt, TrackerDefinition } from "earshot";
import { productName } from "../names";
import { choices } from "../openapi";
import { countries, countryOptions } from "../state";
import { Button, Select, useLoad } from "../ui";
import { problemText } from "./problems";
import { Sensitivity } from "./sensitivity";

interface FormProps {
  value: TrackerDefinition;
  /** The ID of a new tracker, derived from its name unless one is typed; undefined for an existing tracker. */
  id?: string;
  problems: FieldProblem[];
  onChange: (value: TrackerDefinition) => void;
}

/** Returns the problems of a field and of the fields inside it. */
type Wrong = (field: string) => string[];

export function DefinitionForm({ value, id, problems, onChange }: FormProps) {
  const set = (part: Partial<TrackerDefinition>) => onChange({ ...value, ...part });
  // A prompt or name that is changed and changed back keeps the tags or matching rules that it began with.
  const [first] = useState(value);
  const wrong: Wrong = (field) =>
    problems
      .filter((p) => p.field === field || p.field.startsWith(`${field}[`) || p.field.startsWith(`${field}.`))
      .map((p) => problemText({ ...p, line: undefined }, written(value)));
  const amount = (name: string, of: number | undefined, limits: object, onRead: (value?: number) => void) => (
    <Typed
      name={name}
      type="number"
      {...limits}
      of={of}
      read={numberOf}
      onRead={onRead}
      invalid={!!wrong(name).length}
    />
  );
  return (
    <form onSubmit={(event) => event.preventDefault()} class="definition-form">
      <div class="form-row">
        <Field label="Name" wrong={wrong("title")}>
          <input
            name="title"
            value={value.title ?? ""}
            placeholder={value.name}
            autocomplete="off"
            aria-invalid={wrong("title").length > 0}
            onInput={(event) => set({ title: event.currentTarget.value || undefined })}
          />
        </Field>
        {id !== undefined && (
          <Field label="ID" about="For links, files and the API: a to z, 0 to 9, - and _" wrong={wrong("name")}>
            <input
              name="name"
              value={value.name || id}
              autocomplete="off"
              aria-invalid={wrong("name").length > 0}
              onInput={(event) => set({ name: event.currentTarget.value })}
            />
          </Field>
        )}
      </div>
      <Brands
        value={value.brands ?? []}
        known={first.brands?.flatMap(({ aliases = [] }) => aliases) ?? []}
        wrong={wrong}
        onChange={(brands) => set({ brands })}
      />
      <Field
        label="Prompts"
        about="One per line. Existing prompts keep their tags and weights."
        wrong={wrong("prompts")}>
        <textarea
          name="prompts"
          rows={8}
          value={value.prompts.map(textOf).join("\n")}
          aria-invalid={wrong("prompts").length > 0}
          onInput={(event) => set({ prompts: promptsOf(event.currentTarget.value, first.prompts) })}
        />
      </Field>
      <Targets value={value.targets} wrong={wrong} onChange={(targets) => set({ targets })} />
      <ScheduleFields value={value.schedule} wrong={wrong} onChange={(schedule) => set({ schedule })} />
      <div class="form-row">
        <Field label="Samples per prompt" about="How often each sweep asks a prompt" wrong={wrong("samples")}>
          {amount("samples", value.samples, { min: 1, max: 10, show: (samples = 1) => String(samples) }, (samples) =>
            set({ samples }),
          )}
        </Field>
        <Field label="Monthly budget" about="In credits; empty for no limit" wrong={wrong("ceiling")}>
          {amount("ceiling", value.ceiling?.creditsPerMonth, { min: 0 }, (creditsPerMonth) =>
            set({ ceiling: creditsPerMonth === undefined ? undefined : { creditsPerMonth } }),
          )}
        </Field>
        <Field label="Keep answers for" about="For example 400d for 400 days" wrong={wrong("keep")}>
          <input
            name="keep"
            value={value.keep ?? ""}
            placeholder="400d"
            aria-invalid={wrong("keep").length > 0}
            onInput={(event) => set({ keep: event.currentTarget.value || undefined })}
          />
        </Field>
      </div>
      <Sensitivity
        saved={first.alerts?.falseAlarmsPerYear}
        chosen={value.alerts?.falseAlarmsPerYear}
        onChoose={(falseAlarmsPerYear) => set({ alerts: { ...value.alerts, falseAlarmsPerYear } })}
      />
      <Problems of={wrong("alerts")} />
    </form>
  );
}

type FieldProps = { label: string; about?: string; wrong: string[]; children: ComponentChildren };

/** A control with its label, hint and problems. */
export function Field({ label, about, wrong, children }: FieldProps) {
  return (
    <div class="field">
      <label>
        {label} {about && <span class="faint block">{about}</span>}
        {children}
      </label>
      <Problems of={wrong} />
    </div>
  );
}

/** The problems of a control. */
export const Problems = ({ of }: { of: string[] }) => (
  <>
    {of.map((message) => (
      <div key={message} class="wrong">
        {message}
      </div>
    ))}
  </>
);

interface TypedProps<T> {
  name?: string;
  type?: "number" | "time";
  placeholder?: string;
  invalid?: boolean;
  of: T | undefined;
  show?: (value: T | undefined) => string;
  read: (text: string) => T | undefined;
  onRead: (value: T | undefined) => void;
}

/** An input for a value that has a text form. The typed text stays as long as it means the value. */
function Typed<T>({ of, show = (value) => String(value ?? ""), read, onRead, invalid, ...rest }: TypedProps<T>) {
  const [text, setText] = useState(() => show(of));
  const shown = show(of);
  const take = (typed: string) => {
    setText(typed);
    onRead(read(typed));
  };
  return (
    <input
      {...(rest as object)}
      aria-invalid={invalid}
      value={show(read(text)) === shown ? text : shown}
      onInput={(event) => take(event.currentTarget.value)}
    />
  );
}

const numberOf = (text: string) => (text === "" ? undefined : Number(text));
const textGiven = (text: string) => text || undefined;

type Prompt = string | TrackedPrompt;
const textOf = (prompt: Prompt) => (typeof prompt === "string" ? prompt : prompt.text).replaceAll("\n", " ");

/** Returns the prompts of lines; an existing prompt keeps its tags, language and weight. */
function promptsOf(lines: string, first: Prompt[]): Prompt[] {
  const known = new Map(first.map((prompt) => [textOf(prompt), prompt]));
  return lines.split("\n").map((line) => known.get(line) ?? line);
}

const isWritten = ({ name, domains, aliases }: Brand) => !!(name || domains?.length || aliases?.length);

/** Returns a definition without the lines and brands that are still empty. */
export const written = (value: TrackerDefinition): TrackerDefinition => ({
  ...value,
  prompts: value.prompts.filter((prompt) => textOf(prompt).trim()),
  brands: value.brands?.filter(isWritten),
});

/** Returns the parts of a text with commas. */
export const listOf = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
const joined = (names: string[] = []) => names.join(", ");

type Alias = NonNullable<Brand["aliases"]>[number];
const nameOf = (alias: Alias) => (typeof alias === "string" ? alias : alias.name);

/** Returns the aliases of a text; an existing alias keeps its matching rules. */
const aliasesOf = (text: string, known: Alias[]) =>
  listOf(text).map((name) => known.find((alias) => nameOf(alias) === name) ?? name);

interface RowsProps<Row> {
  legend: string;
  add: string;
  value: Row[];
  blank: () => Row;
  nameOf: (row: Row) => string;
  wrong: string[];
  onChange: (rows: Row[]) => void;
  fields: (row: Row, change: (part: Partial<Row>) => void, index: number) => ComponentChildren;
}

/** A list of rows with the same fields, which can be added and removed. */
function Rows<Row>({ legend, add, value, blank, nameOf, wrong, onChange, fields }: RowsProps<Row>) {
  const change = (i: number) => (part: Partial<Row>) =>
    onChange(value.map((row, at) => (at === i ? { ...row, ...part } : row)));
  return (
    <fieldset>
      <legend>{legend}</legend>
      {value.map((row, i) => (
        <div class="form-row" key={i}>
          {fields(row, change(i), i)}
          <Button
            text="Remove"
            class="small"
            aria-label={`Remove ${nameOf(row)}`}
            onClick={() => onChange(value.filter((_, at) => at !== i))}
          />
        </div>
      ))}
      <Button text={add} class="small" onClick={() => onChange([...value, blank()])} />
      <Problems of={wrong} />
    </fieldset>
  );
}

type BrandsProps = { value: Brand[]; known: Alias[]; wrong: Wrong; onChange: (brands: Brand[]) => void };

function Brands({ value, known, wrong, onChange }: BrandsProps) {
  // The server does not see empty brands, so it counts only the others.
  const path = (i: number, field: string) => `brands[${value.slice(0, i).filter(isWritten).length}].${field}`;
  const invalid = (i: number, field: string) => isWritten(value[i]) && wrong(path(i, field)).length > 0;
  return (
    <Rows
      legend="Brands"
      add="Add brand"
      value={value}
      blank={() => ({ name: "", own: value.length === 0 || undefined })}
      nameOf={({ name }) => name || "this brand"}
      wrong={wrong("brands")}
      onChange={onChange}
      fields={(brand, change, i) => (
        <>
          <label>
            Name
            <input
              value={brand.name}
              aria-invalid={invalid(i, "name")}
              onInput={(event) => change({ name: event.currentTarget.value })}
            />
          </label>
          <label>
            Websites
            <Typed
              of={brand.domains}
              show={joined}
              read={listOf}
              onRead={(domains) => change({ domains })}
              placeholder="brand.example"
              invalid={invalid(i, "domains")}
            />
          </label>
          <label>
            Alternative names
            <Typed
              of={brand.aliases}
              show={(aliases) => joined(aliases?.map(nameOf))}
              read={(text) => aliasesOf(text, known)}
              onRead={(aliases) => change({ aliases })}
              invalid={invalid(i, "aliases")}
            />
          </label>
          <label class="inline">
            <input
              type="checkbox"
              checked={!!brand.own}
              onChange={(event) => change({ own: event.currentTarget.checked || undefined })}
            />{" "}
            Own brand
          </label>
        </>
      )}
    />
  );
}

type TargetsProps = { value: Target[]; wrong: Wrong; onChange: (targets: Target[]) => void };

function Targets({ value, wrong, onChange }: TargetsProps) {
  const { value: providers = [] } = useLoad(() => choices("Provider"), []);
  const invalid = (i: number, field: string) => wrong(`targets[${i}].${field}`).length > 0;
  return (
    <Rows<Target>
      legend="Targets"
      add="Add target"
      value={value}
      blank={() => ({ provider: providers[0] ?? "chatassistant", country: "US" })}
      nameOf={({ provider, country }) => `${productName(provider)} ${country}`}
      wrong={wrong("targets")}
      onChange={onChange}
      fields={(target, change, i) => (
        <>
          <label>
            Platform
            <Select
              value={target.provider}
              options={providers.map((name) => [name, productName(name)])}
              aria-invalid={invalid(i, "provider")}
              onChoose={(provider) => change({ provider: provider as Provider })}
            />
          </label>
          <Country target={target} invalid={invalid(i, "country")} onChange={(country) => change({ country })} />
          <span class="faint">
            {[target.state, target.device, target.language, target.options && "with options"]
              .filter(Boolean)
              .join(", ")}
          </span>
        </>
      )}
    />
  );
}

type CountryProps = { target: Target; invalid: boolean; onChange: (country: string) => void };

function Country({ target, invalid, onChange }: CountryProps) {
  const { value: codes = [] } = useLoad(() => countries(target.provider), [target.provider]);
  return (
    <label>
      Country
      <Select value={target.country} options={countryOptions(codes)} aria-invalid={invalid} onChoose={onChange} />
    </label>
  );
}

const frequencies = [
  ["day", "Daily"],
  ["week", "Weekly"],
  ["month", "Monthly"],
  ["6h", "Every 6 hours"],
  ["12h", "Every 12 hours"],
] as const;

type ScheduleProps = { value?: Schedule; wrong: Wrong; onChange: (schedule?: Schedule) => void };

function ScheduleFields({ value, wrong, onChange }: ScheduleProps) {
  const timezone = value?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const every = value?.cron !== undefined ? "cron" : (value?.every ?? "");
  const kept = { timezone, within: value?.within };
  const choose = (step: string) => {
    if (!step) return onChange(undefined);
    if (step === "cron") return onChange({ cron: value?.cron ?? "0 6 * * 1-5", ...kept });
    onChange({ every: step, at: value?.at ?? (/h$/.test(step) ? undefined : "06:00"), ...kept });
  };
  const others = every && every !== "cron" && !frequencies.some(([step]) => step === every) ? [every] : [];
  const invalid = (field: string) => wrong(`schedule.${field}`).length > 0;
  return (
    <fieldset>
      <legend>Schedule</legend>
      <div class="form-row">
        <label>
          Frequency
          <Select
            value={every}
            all="Manual only"
            options={[...frequencies, ...others, ["cron", "Custom (cron)"]]}
            aria-invalid={invalid("every")}
            onChoose={choose}
          />
        </label>
        {value?.cron !== undefined && (
          <label>
            Cron
            <input
              value={value.cron}
              aria-invalid={invalid("cron")}
              onInput={(event) => onChange({ ...value, cron: event.currentTarget.value })}
            />
          </label>
        )}
        {value?.every && (
          <label>
            Time
            <Typed
              type="time"
              of={value.at}
              show={(at = "00:00") => at}
              read={textGiven}
              onRead={(at) => onChange({ ...value, at })}
              invalid={invalid("at")}
            />
          </label>
        )}
        {value && (
          <label>
            Time zone
            <Typed
              of={value.timezone}
              show={(zone = "UTC") => zone}
              read={textGiven}
              onRead={(timezone) => onChange({ ...value, timezone })}
              invalid={invalid("timezone")}
            />
          </label>
        )}
        {value && (
          <label>
            Time window
            <input
              value={value.within ?? ""}
              placeholder="4h"
              aria-invalid={invalid("within")}
              onInput={(event) => onChange({ ...value, within: event.currentTarget.value || undefined })}
            />
          </label>
        )}
      </div>
      <Problems of={wrong("schedule")} />
    </fieldset>
  );
}
