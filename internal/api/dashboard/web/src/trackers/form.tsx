// A definition as a form. What it has no field for stays as it is.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { Brand, FieldProblem, Provider, Schedule, Target, TrackedPrompt, TrackerDefinition } from "../api.gen";
import { choices } from "../openapi";
import { countries, countryName } from "../state";
import { Button, useLoad } from "../ui";

interface FormProps {
  value: TrackerDefinition;
  isNew: boolean;
  problems: FieldProblem[];
  onChange: (value: TrackerDefinition) => void;
}

export function DefinitionForm({ value, isNew, problems, onChange }: FormProps) {
  const set = (part: Partial<TrackerDefinition>) => onChange({ ...value, ...part });
  // A question or name that is changed and changed back has the tags or switches that it began with.
  const [first] = useState(value);
  const wrong = (field: string) =>
    problems
      .filter((p) => p.field === field || p.field.startsWith(`${field}[`) || p.field.startsWith(`${field}.`))
      .map((p) => `${p.field}: ${p.message}`);
  return (
    <form onSubmit={(event) => event.preventDefault()} class="definition-form">
      {isNew && (
        <Field label="Name" about="a to z, 0 to 9, - and _" wrong={wrong("name")}>
          {(id) => (
            <input
              id={id}
              name="name"
              value={value.name ?? ""}
              autocomplete="off"
              onInput={(event) => set({ name: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      <Brands
        value={value.brands ?? []}
        known={first.brands?.flatMap(({ aliases = [] }) => aliases) ?? []}
        wrong={wrong("brands")}
        onChange={(brands) => set({ brands })}
      />
      <Field
        label="Questions"
        about="One a line, as people would ask them. Tags and weights of those that stay are kept, as text."
        wrong={wrong("prompts")}>
        {(id) => (
          <textarea
            id={id}
            name="prompts"
            rows={8}
            value={value.prompts.map(textOf).join("\n")}
            onInput={(event) => set({ prompts: promptsOf(event.currentTarget.value, first.prompts) })}
          />
        )}
      </Field>
      <Targets value={value.targets} wrong={wrong("targets")} onChange={(targets) => set({ targets })} />
      <When value={value.schedule} wrong={wrong("schedule")} onChange={(schedule) => set({ schedule })} />
      <div class="form-row">
        <Field label="Samples" about="how often each question is asked in a sweep" wrong={wrong("samples")}>
          {(id) => (
            <Typed
              id={id}
              name="samples"
              type="number"
              min={1}
              max={10}
              of={value.samples}
              show={(samples = 1) => String(samples)}
              read={numberOf}
              onRead={(samples) => set({ samples })}
            />
          )}
        </Field>
        <Field label="Most credits a month" about="none: no ceiling" wrong={wrong("ceiling")}>
          {(id) => (
            <Typed
              id={id}
              name="ceiling"
              type="number"
              min={0}
              of={value.ceiling?.creditsPerMonth}
              read={numberOf}
              onRead={(creditsPerMonth) =>
                set({ ceiling: creditsPerMonth === undefined ? undefined : { creditsPerMonth } })
              }
            />
          )}
        </Field>
        <Field label="Keep answers" about="such as 400d" wrong={wrong("keep")}>
          {(id) => (
            <input
              id={id}
              name="keep"
              value={value.keep ?? ""}
              placeholder="400d"
              onInput={(event) => set({ keep: event.currentTarget.value || undefined })}
            />
          )}
        </Field>
        <Field label="False alarms a year" about="that you are ready to see" wrong={wrong("alerts")}>
          {(id) => (
            <Typed
              id={id}
              name="alerts"
              type="number"
              min={0}
              step="any"
              of={value.alerts?.falseAlarmsPerYear}
              read={numberOf}
              onRead={(falseAlarmsPerYear) =>
                set({ alerts: falseAlarmsPerYear === undefined ? undefined : { ...value.alerts, falseAlarmsPerYear } })
              }
            />
          )}
        </Field>
      </div>
    </form>
  );
}

type FieldProps = { label: string; about?: string; wrong: string[]; children: (id: string) => ComponentChildren };

function Field({ label, about, wrong, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label> {about && <span class="faint">{about}</span>}
      {children(id)}
      {wrong.map((message) => (
        <div key={message} class="wrong">
          {message}
        </div>
      ))}
    </div>
  );
}

interface TypedProps<T> {
  id?: string;
  name?: string;
  type?: "number" | "time";
  min?: number;
  max?: number;
  step?: string;
  placeholder?: string;
  of: T | undefined;
  show?: (value: T | undefined) => string;
  read: (text: string) => T | undefined;
  onRead: (value: T | undefined) => void;
}

/** A field for something that is written as text. As long as the text means the value, it stays as it was typed. */
function Typed<T>({ of, show = (value) => String(value ?? ""), read, onRead, ...rest }: TypedProps<T>) {
  const [text, setText] = useState(() => show(of));
  const shown = show(of);
  const take = (typed: string) => {
    setText(typed);
    onRead(read(typed));
  };
  return (
    <input
      {...(rest as object)}
      value={show(read(text)) === shown ? text : shown}
      onInput={(event) => take(event.currentTarget.value)}
    />
  );
}

const numberOf = (text: string) => (text === "" ? undefined : Number(text));
const textGiven = (text: string) => text || undefined;

type Prompt = string | TrackedPrompt;
const textOf = (prompt: Prompt) => (typeof prompt === "string" ? prompt : prompt.text).replaceAll("\n", " ");

/** The questions of lines; one that was there keeps its tags, language and weight. */
export function promptsOf(lines: string, first: Prompt[]): Prompt[] {
  const known = new Map(first.map((prompt) => [textOf(prompt), prompt]));
  return lines.split("\n").map((line) => known.get(line) ?? line);
}

/** A definition without the lines and brands that are still empty. */
export const written = (value: TrackerDefinition): TrackerDefinition => ({
  ...value,
  prompts: value.prompts.filter((prompt) => textOf(prompt).trim()),
  brands: value.brands?.filter(({ name, domains, aliases }) => name || domains?.length || aliases?.length),
});

const listOf = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
const joined = (names: string[] = []) => names.join(", ");

type Alias = NonNullable<Brand["aliases"]>[number];
const nameOf = (alias: Alias) => (typeof alias === "string" ? alias : alias.name);

interface BrandsProps {
  value: Brand[];
  /** Names with their switches. */
  known: Alias[];
  wrong: string[];
  onChange: (brands: Brand[]) => void;
}

function Brands({ value, known, wrong, onChange }: BrandsProps) {
  const change = (i: number, part: Partial<Brand>) =>
    onChange(value.map((brand, at) => (at === i ? { ...brand, ...part } : brand)));
  return (
    <fieldset>
      <legend>Brands to look for</legend>
      {value.map((brand, i) => (
        <div class="form-row" key={i}>
          <label>
            Name
            <input value={brand.name} onInput={(event) => change(i, { name: event.currentTarget.value })} />
          </label>
          <label>
            Sites
            <Typed
              of={brand.domains}
              show={joined}
              read={listOf}
              onRead={(domains) => change(i, { domains })}
              placeholder="brand.example"
            />
          </label>
          <label>
            Other names
            <Typed
              of={brand.aliases}
              show={(aliases) => joined(aliases?.map(nameOf))}
              read={(text) => aliasesOf(text, known)}
              onRead={(aliases) => change(i, { aliases })}
            />
          </label>
          <label class="inline">
            <input
              type="checkbox"
              checked={!!brand.own}
              onChange={(event) => change(i, { own: event.currentTarget.checked || undefined })}
            />{" "}
            own
          </label>
          <Button
            text="Remove"
            class="small"
            aria-label={`Remove ${brand.name || "this brand"}`}
            onClick={() => onChange(value.filter((_, at) => at !== i))}
          />
        </div>
      ))}
      <Button
        text="Add a brand"
        class="small"
        onClick={() => onChange([...value, { name: "", own: value.length === 0 || undefined }])}
      />
      {wrong.map((message) => (
        <div key={message} class="wrong">
          {message}
        </div>
      ))}
    </fieldset>
  );
}

/** Names of a list; one that was there keeps its switches. */
const aliasesOf = (text: string, known: Alias[]) =>
  listOf(text).map((name) => known.find((alias) => nameOf(alias) === name) ?? name);

type TargetsProps = { value: Target[]; wrong: string[]; onChange: (targets: Target[]) => void };

function Targets({ value, wrong, onChange }: TargetsProps) {
  const { value: providers = [] } = useLoad(() => choices("Provider"), []);
  const change = (i: number, part: Partial<Target>) =>
    onChange(value.map((target, at) => (at === i ? { ...target, ...part } : target)));
  return (
    <fieldset>
      <legend>Where to ask</legend>
      {value.map((target, i) => (
        <div class="form-row" key={i}>
          <label>
            Provider
            <select
              value={target.provider}
              onChange={(event) => change(i, { provider: event.currentTarget.value as Provider })}>
              {[...new Set([...providers, target.provider])].map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <Country target={target} onChange={(country) => change(i, { country })} />
          <span class="faint">
            {[target.state, target.device, target.language, target.options && "with options"]
              .filter(Boolean)
              .join(", ")}
          </span>
          <Button
            text="Remove"
            class="small"
            aria-label={`Remove ${target.provider} ${target.country}`}
            onClick={() => onChange(value.filter((_, at) => at !== i))}
          />
        </div>
      ))}
      <Button
        text="Add a target"
        class="small"
        onClick={() => onChange([...value, { provider: providers[0] ?? "chatassistant", country: "US" }])}
      />
      {wrong.map((message) => (
        <div key={message} class="wrong">
          {message}
        </div>
      ))}
    </fieldset>
  );
}

function Country({ target, onChange }: { target: Target; onChange: (country: string) => void }) {
  const { value: codes = [] } = useLoad(() => countries(target.provider), [target.provider]);
  const offered = [...new Set([...codes, target.country])]
    .map((code) => ({ code, name: countryName(code) }))
    .sort((a, b) => a.name.localeCompare(b.name));
  return (
    <label>
      Country
      <select value={target.country} onChange={(event) => onChange(event.currentTarget.value)}>
        {offered.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

const usualSteps = ["day", "week", "month", "6h", "12h"];

type WhenProps = { value?: Schedule; wrong: string[]; onChange: (schedule?: Schedule) => void };

function When({ value, wrong, onChange }: WhenProps) {
  const zone = value?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const every = value?.cron !== undefined ? "cron" : (value?.every ?? "");
  const choose = (step: string) => {
    if (!step) return onChange(undefined);
    if (step === "cron") return onChange({ cron: value?.cron ?? "0 6 * * 1-5", timezone: zone, within: value?.within });
    onChange({
      every: step,
      at: value?.at ?? (/h$/.test(step) ? undefined : "06:00"),
      timezone: zone,
      within: value?.within,
    });
  };
  return (
    <fieldset>
      <legend>When</legend>
      <div class="form-row">
        <label>
          Every
          <select value={every} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">only by hand</option>
            {[...new Set([...usualSteps, ...(every && every !== "cron" ? [every] : [])])].map((step) => (
              <option key={step} value={step}>
                {step}
              </option>
            ))}
            <option value="cron">as cron says</option>
          </select>
        </label>
        {value?.cron !== undefined && (
          <label>
            Cron
            <input value={value.cron} onInput={(event) => onChange({ ...value, cron: event.currentTarget.value })} />
          </label>
        )}
        {value?.every && (
          <label>
            At
            <Typed
              type="time"
              of={value.at}
              show={(at = "00:00") => at}
              read={textGiven}
              onRead={(at) => onChange({ ...value, at })}
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
            />
          </label>
        )}
        {value && (
          <label>
            Window
            <input
              value={value.within ?? ""}
              placeholder="4h"
              onInput={(event) => onChange({ ...value, within: event.currentTarget.value || undefined })}
            />
          </label>
        )}
      </div>
      {wrong.map((message) => (
        <div key={message} class="wrong">
          {message}
        </div>
      ))}
    </fieldset>
  );
}
