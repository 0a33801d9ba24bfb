// The tracker of a company: its name and website, rivals and prompts, then the editor with the price.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { Target } from "../api.gen";
import type { Run } from "../playground/run";
import { Needs, Problem, Select, useLoad } from "../ui";
import { addressOf } from "../trackers/address";
import { Editor } from "../trackers/editor";
import { domainOf, isCompany, trackerFor, type Company } from "./suggest";
import { industries, languages, type Language } from "./templates";
import "../trackers/trackers.css";

const german = ["DE", "AT", "CH", "LI"];

/** Returns a country as it follows "in". */
function placeOf(country: string, language: Language): string {
  const name = new Intl.DisplayNames(language, { type: "region" }).of(country) ?? country;
  return language === "en" && /^(United|Netherlands|Philippines|Czech Republic)/.test(name) ? `the ${name}` : name;
}

export function CompanyStep({ target, run }: { target: Target; run: Run }) {
  return (
    <Needs scope="track" what="create a tracker">
      <CompanyForm target={target} run={run} />
    </Needs>
  );
}

const maxNames = 20;

function CompanyForm({ target, run }: { target: Target; run: Run }) {
  const first: Language = german.includes(target.country) ? "de" : "en";
  const [company, setCompany] = useState<Company>(() => ({
    name: "",
    website: "",
    category: "",
    industry: "",
    place: placeOf(target.country, first),
    language: first,
    rivals: [],
  }));
  const [checked, setChecked] = useState(false);
  const [submitted, setSubmitted] = useState<Company>();
  const id = run.headers?.get("X-Request-Id");
  const found = useLoad(
    async (signal) =>
      id ? (await call("GET /v1/requests/{id}", { params: { id }, query: { names: true }, signal })).names : [],
    [id],
  );
  const names = (found.value ?? []).filter((name) => !isCompany(name, company.name)).slice(0, maxNames);
  const result = run.response?.result;
  const cited = result && "sources" in result ? result.sources.map(({ url }) => url) : [];
  const set = (part: Partial<Company>) => setCompany({ ...company, ...part });
  const wrong: Partial<Record<keyof Company, string>> = {
    name: company.name.trim() ? undefined : "Enter the name of the company.",
    website: domainOf(company.website) ? undefined : "Enter a website such as brand.example.",
    category: company.category.trim() ? undefined : "Enter what the company sells, such as running shoes.",
    industry: company.industry ? undefined : "Choose an industry.",
    place: company.place.trim() ? undefined : "Enter a city or a country.",
  };
  const input = (
    name: "name" | "website" | "category" | "place",
    label: string,
    placeholder: string,
    about?: string,
  ) => (
    <div class="field">
      <label>
        {label} {about && <span class="faint block">{about}</span>}
        <input
          name={`company-${name}`}
          value={company[name]}
          placeholder={placeholder}
          autocomplete="off"
          aria-invalid={checked && !!wrong[name]}
          onInput={(event) => set({ [name]: event.currentTarget.value })}
        />
      </label>
      {checked && wrong[name] && <div class="wrong">{wrong[name]}</div>}
    </div>
  );
  return (
    <div class="grid">
      <form
        class="card"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (!Object.values(wrong).some(Boolean)) setSubmitted(company);
        }}>
        <div class="form-row">
          {input("name", "Company or brand", "Ollaro")}
          {input("website", "Website", "ollaro.example")}
        </div>
        <div class="form-row">
          <div class="field">
            <label>
              Industry
              <Select
                name="company-industry"
                value={company.industry}
                all="Choose…"
                options={Object.entries(industries).map(([value, { name }]) => [value, name])}
                aria-invalid={checked && !!wrong.industry}
                onChoose={(industry) => set({ industry })}
              />
            </label>
            {checked && wrong.industry && <div class="wrong">{wrong.industry}</div>}
          </div>
          {input("category", "What customers look for", "running shoes")}
          {input("place", "City or country", "Berlin")}
          <label>
            Language of the prompts
            <Select
              value={company.language}
              options={Object.entries(languages)}
              onChoose={(language) => set({ language: language as Language })}
            />
          </label>
        </div>
        <fieldset class="platforms">
          <legend>Rivals</legend>
          <Problem error={found.error} />
          <p class="faint">
            {names.length
              ? "Names in the answer to your question. Select the rivals; some names may not be brands."
              : "Ask a question in step 1 to get suggestions from its answer, or add rivals below."}{" "}
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
              {name}
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
            location.hash = addressOf(tracker.name, "sweeps", { run: "ask" });
          }}
        />
      )}
    </div>
  );
}
