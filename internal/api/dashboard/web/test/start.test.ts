import assert from "node:assert/strict";
import test from "node:test";
import { domainOf, isCompany, promptsFor, trackerFor } from "../src/start/suggest";
import { industries, languages, type Language } from "../src/start/templates";
import { idOf } from "../src/trackers/id";

test("a tracker's ID is derived from its name", () => {
  const ids: Record<string, string> = {
    "Running Shoes 2026": "running-shoes-2026",
    "  L'Oréal — Düsseldorf & Łódź ": "loreal-dusseldorf-lodz",
    "Straße № 5": "strasse-no-5",
    跑步鞋: "tracker",
    "跑步鞋 2026": "2026",
    کفش‌ها: "tracker",
    "👟": "tracker",
    "../../etc": "etc",
    "   ": "",
  };
  for (const [name, id] of Object.entries(ids)) assert.equal(idOf(name, []), id, name);
  assert.equal(idOf("Shoes", ["shoes", "shoes-2"]), "shoes-3");
  assert.equal(idOf("鞋", ["tracker"]), "tracker-2");
  const long = "x".repeat(300);
  assert.equal(/^[a-z0-9][a-z0-9_-]{0,99}$/.test(idOf(long, [idOf(long, [])])), true);
});

test("a website becomes a domain", () => {
  const domains: Record<string, string | undefined> = {
    "ollaro.example": "ollaro.example",
    "https://www.Ollaro.example/shop?a=1": "ollaro.example",
    "shop.ollaro.co.uk/": "shop.ollaro.co.uk",
    "bücher.example": "xn--bcher-kva.example",
    ollaro: undefined,
    "": undefined,
    "127.0.0.1": undefined,
    "not a site.example": undefined,
    "javascript:alert(1)": undefined,
  };
  for (const [website, domain] of Object.entries(domains)) assert.equal(domainOf(website), domain, website);
});

const ollaro = {
  name: "Ollaro GmbH & Co. KG",
  website: "https://www.ollaro-shoes.example",
  category: "running shoes",
  industry: "products",
  place: "Berlin",
  language: "en" as Language,
  rivals: ["Kestrin", "Velde"],
};

test("a company becomes a tracker with its names, its rivals and prompts", () => {
  const cited = ["https://reviews.example/kestrin", "https://www.kestrin.example/shoes"];
  const made = trackerFor(ollaro, { provider: "chatassistant", country: "US" }, cited, "Europe/Berlin");
  assert.equal(made.title, "Ollaro");
  assert.deepEqual(made.brands, [
    { name: "Ollaro", own: true, aliases: ["ollaro-shoes"], domains: ["ollaro-shoes.example"] },
    { name: "Kestrin", domains: ["kestrin.example"] },
    { name: "Velde" },
  ]);
  assert.equal(made.prompts.at(-1), "Ollaro or Kestrin: which running shoes are better?");
  const [on] = trackerFor({ ...ollaro, name: "On AG", website: "on.com" }, made.targets[0], [], "UTC").brands!;
  assert.deepEqual(on, { name: "On", own: true, match: { case: "exact" }, domains: ["on.com"] });
  assert.deepEqual(
    ["OLLARO", "Kestrin", ""].map((name) => isCompany(name, ollaro.name)),
    [true, false, false],
  );
});

test("every industry has prompts in every language, and no placeholder stays", () => {
  assert.equal(Object.keys(industries).length, 8);
  for (const industry of Object.keys(industries))
    for (const language of Object.keys(languages) as Language[]) {
      const { length } = industries[industry].prompts[language];
      assert.equal(length >= 6 && length <= 8, true, `${industry} has ${length} prompts in ${language}`);
      for (const rivals of [[], ["Kestrin"]]) {
        const prompts = promptsFor({ ...ollaro, industry, language, rivals });
        assert.equal(new Set(prompts).size, prompts.length);
        assert.equal(
          prompts.find((text) => /[{}]|undefined/.test(text)),
          undefined,
        );
        const unbranded = prompts.filter((text) => !/Ollaro|Kestrin/.test(text));
        assert.equal(unbranded.length >= 5, true, `${industry} has ${unbranded.length} prompts without a brand`);
      }
    }
});
