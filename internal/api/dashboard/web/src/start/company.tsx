// The tracker of a company: its name and website, rivals and prompts, then the editor with the price.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { call } from "../api";
import type { Target } from "earshot";
import type { Run } from "../playground/run";
import { key } from "../session";
import { Problem, Select, useLoad } from "../ui";
import { addressOf } from "../trackers/address";
import { Editor } from "../trackers/editor";
import { Field } from "../trackers/form";
import { domainOf, isCompany, trackerFor, type Company } from "./suggest";
import { industries, languages, type Language } from "./templates";

const german = ["DE", "AT", "CH", "LI"];

/** Returns a country as it follows "in". */
function placeOf(country: string, language: Language): string {
  const name = new Intl.DisplayNames(language, { type: "region" }).of(country) ?? country;
  return language === "en" && /^(United|Netherlands|Philippines|Czech Republic)/.test(name) ? `the ${name}` : name;
}

const blank: Company = { name: "", website: "", category: "", industry: "", place: "", language: "en", rivals: [] };

/** What was typed. It stays while the steps change. */
const draft = signal<Company | undefined>(undefined);
key.subscribe(() => (draft.value = undefined));

const maxNames = 20;

export function CompanyStep({ target, run }: { target: Target; run: Run }) {
  const first: Language = german.includes(target.country) ? "de" : "en";
  const company = draft.value ?? { ...blank, place: placeOf(target.country, first), language: first };
  const [checked, setChecked] = useState(false);
  const [submitted, setSubmitted] = useState<Company>();
  const id = run.headers?.get("X-Request-Id");
  const found = useLoad(
    async (signal) =>
      id ? (await call("GET /v1/requests/{id}", { params: { id }, query: { names: true }, signal })).names : [],
    [id],
  );
  const others = (found.value ?? []).filter((name) => !isCompany(name, company.name)).slice(0, maxNames);
  const names = [...new Set([...others, ...company.rivals])];
  const result = run.response?.result;
  const cited = result && "sources" in result ? result.sources.map(({ url }) => url) : [];
  const set = (part: Partial<Company>) => (draft.value = { ...company, ...part });
  const missing: Partial<Record<keyof Company, string>> = {
    name: company.name.trim() ? undefined : "Enter the name of the company.",
    website: domainOf(company.website) ? undefined : "Enter a website such as brand.example.",
    category: company.category.trim() ? undefined : "Enter what the company sells, such as running shoes.",
    industry: company.industry ? undefined : "Choose an industry.",
    place: company.place.trim() ? undefined : "Enter a city or a country.",
  };
  const wrong = (name: keyof Company) => (checked && missing[name] ? [missing[name]] : []);
  const input = (name: "name" | "website" | "category" | "place", label: string, placeholder: string) => (
    <Field label={label} wrong={wrong(name)}>
      <input
        name={`company-${name}`}
        value={company[name]}
        placeholder={placeholder}
        autocomplete="off"
        aria-invalid={wrong(name).length > 0}
        onInput={(event) => set({ [name]: event.currentTarget.value })}
      />
    </Field>
  );
  return (
    <div class="grid">
      <form
        class="card definition-form company"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (!Object.values(missing).some(Boolean)) setSubmitted(company);
        }}>
        <div class="form-row">
          {input("name", "Company or brand", "Ollaro")}
          {input("website", "Website", "ollaro.example")}
        </div>
        <div class="form-row">
          <Field label="Industry" wrong={wrong("industry")}>
            <Select
              name="company-industry"
              value={company.industry}
              all="Choose…"
              options={Object.entries(industries).map(([value, { name }]) => [value, name])}
              aria-invalid={wrong("industry").length > 0}
              onChoose={(industry) => set({ industry })}
            />
          </Field>
          {input("category", "What customers look for", "running shoes")}
          {input("place", "City or country", "Berlin")}
          <Field label="Language" wrong={[]}>
            <Select
              value={company.language}
              options={Object.entries(languages)}
              onChoose={(language) => set({ language: language as Language })}
            />
          </Field>
        </div>
        <fieldset>
          <legend>Competitors</legend>
          <Problem error={found.error} />
          <p class="faint">
            {names.length
              ? "Names in the answer to your question. Select your competitors; some names may not be brands."
              : "Ask a question in step 1 to get suggestions from its answer, or add competitors below."}{" "}
            After the first sweep, the Brands tab suggests names from all answers.
          </p>
          {names.map((name) => (
            <label key={name} class="inline">
              <input
                type="checkbox"
                checked={company.rivals.includes(name)}
                onChange={({ currentTarget: { checked } }) =>
                  set({ rivals: checked ? [...company.rivals, name] : company.rivals.filter((one) => one !== name) })
                }
              />
              <bdi>{name}</bdi>
            </label>
          ))}
        </fieldset>
        <button class="primary" data-testid="suggest">
          Suggest a tracker
        </button>{" "}
        <span class="faint">Free. Nothing is asked yet, and you can change everything.</span>
      </form>
      {submitted && (
        <Editor
          key={JSON.stringify(submitted)}
          start={trackerFor(submitted, target, cited, Intl.DateTimeFormat().resolvedOptions().timeZone)}
          onApplied={({ tracker }) => {
            draft.value = undefined;
            location.hash = addressOf(tracker.name, "sweeps", { run: "ask" });
          }}
        />
      )}
    </div>
  );
}
