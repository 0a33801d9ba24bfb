// A definition as a form. What it has no field for stays as it is.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Brand, FieldProblem, Provider, Schedule, Target, TrackedPrompt, TrackerDefinition } from "../api.gen";
import { choices } from "../openapi";
import { countries, countryName } from "../state";
import { useLoad } from "../ui";

interface FormProps { value: TrackerDefinition; isNew: boolean; problems: FieldProblem[]; onChange: (value: TrackerDefinition) => void }

export function DefinitionForm({ value, isNew, problems, onChange }: FormProps) {
  const set = (part: Partial<TrackerDefinition>) => onChange({ ...value, ...part });
  const wrong = (field: string) => problems.filter((p) => p.field === field || p.field.startsWith(`${field}[`) || p.field.startsWith(`${field}.`)).map((p) => `${p.field}: ${p.message}`);
  return (
    <form onSubmit={(event) => event.preventDefault()} class="definition-form">
      {isNew && <Field label="Name" about="a to z, 0 to 9, - and _" wrong={wrong("name")}>{(id) => <input id={id} name="name" value={value.name ?? ""} autocomplete="off" onInput={(event) => set({ name: event.currentTarget.value })} />}</Field>}
      <Brands value={value.brands ?? []} wrong={wrong("brands")} onChange={(brands) => set({ brands })} />
      <Field label="Questions" about="One a line, as people would ask them. Tags and weights of those that stay are kept; they are written as text." wrong={wrong("prompts")}>
        {(id) => <textarea id={id} name="prompts" rows={8} value={value.prompts.map(textOf).join("\n")} onInput={(event) => set({ prompts: promptsOf(event.currentTarget.value, value.prompts) })} />}
      </Field>
      <Targets value={value.targets} wrong={wrong("targets")} onChange={(targets) => set({ targets })} />
      <When value={value.schedule} wrong={wrong("schedule")} onChange={(schedule) => set({ schedule })} />
      <div class="form-row">
        <Field label="Samples" about="how often each question is asked in a sweep" wrong={wrong("samples")}>{(id) => <input id={id} name="samples" type="number" min={1} max={10} value={value.samples ?? 1} onInput={(event) => set({ samples: Number(event.currentTarget.value) || undefined })} />}</Field>
        <Field label="Most credits a month" about="none: no ceiling" wrong={wrong("ceiling")}>
          {(id) => <input id={id} name="ceiling" type="number" min={0} value={value.ceiling?.creditsPerMonth ?? ""} onInput={(event) => set({ ceiling: event.currentTarget.value === "" ? undefined : { creditsPerMonth: Number(event.currentTarget.value) } })} />}
        </Field>
        <Field label="Keep answers" about="such as 400d" wrong={wrong("keep")}>{(id) => <input id={id} name="keep" value={value.keep ?? ""} placeholder="400d" onInput={(event) => set({ keep: event.currentTarget.value || undefined })} />}</Field>
        <Field label="False alarms a year" about="that you are ready to see" wrong={wrong("alerts")}>
          {(id) => <input id={id} name="alerts" type="number" min={0} step="any" value={value.alerts?.falseAlarmsPerYear ?? ""} onInput={(event) => set({ alerts: event.currentTarget.value === "" ? undefined : { ...value.alerts, falseAlarmsPerYear: Number(event.currentTarget.value) } })} />}
        </Field>
      </div>
    </form>
  );
}

function Field({ label, about, wrong, children }: { label: string; about?: string; wrong: string[]; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label> {about && <span class="faint">{about}</span>}
      {children(id)}
      {wrong.map((message) => <div key={message} class="wrong">{message}</div>)}
    </div>
  );
}

type Prompt = string | TrackedPrompt;
const textOf = (prompt: Prompt) => (typeof prompt === "string" ? prompt : prompt.text).replaceAll("\n", " ");

/** The questions of lines; one that was there keeps its tags, language and weight. */
export function promptsOf(lines: string, before: Prompt[]): Prompt[] {
  const known = new Map(before.map((prompt) => [textOf(prompt), prompt]));
  return lines.split("\n").map((line) => known.get(line) ?? line);
}

/** A definition without the lines and brands that are still empty. */
export const written = (value: TrackerDefinition): TrackerDefinition => ({
  ...value, prompts: value.prompts.filter((prompt) => textOf(prompt).trim()), brands: value.brands?.filter(({ name, domains, aliases }) => name || domains?.length || aliases?.length),
});

const listOf = (text: string) => text.split(",").map((part) => part.trim()).filter(Boolean);

function Brands({ value, wrong, onChange }: { value: Brand[]; wrong: string[]; onChange: (brands: Brand[]) => void }) {
  const change = (i: number, part: Partial<Brand>) => onChange(value.map((brand, at) => (at === i ? { ...brand, ...part } : brand)));
  return (
    <fieldset>
      <legend>Brands to look for</legend>
      {value.map((brand, i) => (
        <div class="form-row" key={i}>
          <label>Name<input value={brand.name} onInput={(event) => change(i, { name: event.currentTarget.value })} /></label>
          <label>Sites<input value={(brand.domains ?? []).join(", ")} placeholder="brand.example" onChange={(event) => change(i, { domains: listOf(event.currentTarget.value) })} /></label>
          <label>Other names<input value={(brand.aliases ?? []).map((alias) => (typeof alias === "string" ? alias : alias.name)).join(", ")} onChange={(event) => change(i, { aliases: aliasesOf(event.currentTarget.value, brand) })} /></label>
          <label class="inline"><input type="checkbox" checked={!!brand.own} onChange={(event) => change(i, { own: event.currentTarget.checked || undefined })} /> own</label>
          <button type="button" class="small" aria-label={`Remove ${brand.name || "this brand"}`} onClick={() => onChange(value.filter((_, at) => at !== i))}>Remove</button>
        </div>
      ))}
      <button type="button" class="small" onClick={() => onChange([...value, { name: "", own: value.length === 0 || undefined }])}>Add a brand</button>
      {wrong.map((message) => <div key={message} class="wrong">{message}</div>)}
    </fieldset>
  );
}

/** Names of a list; one that was there keeps its switches. */
const aliasesOf = (text: string, { aliases = [] }: Brand) =>
  listOf(text).map((name) => aliases.find((alias) => typeof alias !== "string" && alias.name === name) ?? name);

function Targets({ value, wrong, onChange }: { value: Target[]; wrong: string[]; onChange: (targets: Target[]) => void }) {
  const { value: providers = [] } = useLoad(() => choices("Provider"), []);
  const change = (i: number, part: Partial<Target>) => onChange(value.map((target, at) => (at === i ? { ...target, ...part } : target)));
  return (
    <fieldset>
      <legend>Where to ask</legend>
      {value.map((target, i) => (
        <div class="form-row" key={i}>
          <label>Provider<select value={target.provider} onChange={(event) => change(i, { provider: event.currentTarget.value as Provider })}>{[...new Set([...providers, target.provider])].map((name) => <option key={name} value={name}>{name}</option>)}</select></label>
          <Country target={target} onChange={(country) => change(i, { country })} />
          <span class="faint">{[target.state, target.device, target.language, target.options && "with options"].filter(Boolean).join(", ")}</span>
          <button type="button" class="small" aria-label={`Remove ${target.provider} ${target.country}`} onClick={() => onChange(value.filter((_, at) => at !== i))}>Remove</button>
        </div>
      ))}
      <button type="button" class="small" onClick={() => onChange([...value, { provider: providers[0] ?? "chatassistant", country: "US" }])}>Add a target</button>
      {wrong.map((message) => <div key={message} class="wrong">{message}</div>)}
    </fieldset>
  );
}

function Country({ target, onChange }: { target: Target; onChange: (country: string) => void }) {
  const { value: codes = [] } = useLoad(() => countries(target.provider), [target.provider]);
  const offered = [...new Set([...codes, target.country])].map((code) => ({ code, name: countryName(code) })).sort((a, b) => a.name.localeCompare(b.name));
  return <label>Country<select value={target.country} onChange={(event) => onChange(event.currentTarget.value)}>{offered.map(({ code, name }) => <option key={code} value={code}>{name}</option>)}</select></label>;
}

const usualSteps = ["day", "week", "month", "6h", "12h"];

function When({ value, wrong, onChange }: { value?: Schedule; wrong: string[]; onChange: (schedule?: Schedule) => void }) {
  const zone = value?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const every = value?.cron ? "cron" : value?.every ?? "";
  const choose = (step: string) => {
    if (!step) return onChange(undefined);
    if (step === "cron") return onChange({ cron: value?.cron ?? "0 6 * * 1-5", timezone: zone, within: value?.within });
    onChange({ every: step, at: value?.at ?? (/h$/.test(step) ? undefined : "06:00"), timezone: zone, within: value?.within });
  };
  return (
    <fieldset>
      <legend>When</legend>
      <div class="form-row">
        <label>Every<select value={every} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">only by hand</option>
          {[...new Set([...usualSteps, ...(every && every !== "cron" ? [every] : [])])].map((step) => <option key={step} value={step}>{step}</option>)}
          <option value="cron">as cron says</option>
        </select></label>
        {value?.cron !== undefined && <label>Cron<input value={value.cron} onInput={(event) => onChange({ ...value, cron: event.currentTarget.value })} /></label>}
        {value?.every && <label>At<input type="time" value={value.at ?? "00:00"} onInput={(event) => onChange({ ...value, at: event.currentTarget.value || undefined })} /></label>}
        {value && <label>Time zone<input value={value.timezone ?? "UTC"} onChange={(event) => onChange({ ...value, timezone: event.currentTarget.value || undefined })} /></label>}
        {value && <label>Window<input value={value.within ?? ""} placeholder="4h" onChange={(event) => onChange({ ...value, within: event.currentTarget.value || undefined })} /></label>}
      </div>
      {wrong.map((message) => <div key={message} class="wrong">{message}</div>)}
    </fieldset>
  );
}
