// Suggestions for the first tracker of a company: its names, its rivals and its prompts.
import type { Brand, Target, TrackerDefinition } from "earshot";
import { industries, type Language } from "./templates";

/** What somebody says about a company. */
export interface Company {
  name: string;
  website: string;
  category: string;
  industry: string;
  place: string;
  language: Language;
  rivals: string[];
}

/** Returns the host of a website without www; undefined if the text is not one. */
export function domainOf(website: string): string | undefined {
  const address = website.includes("://") ? website : `https://${website}`;
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, "") : "";
  return /^[^.].*\.[^.\d][^.]*$/.test(host) ? host : undefined;
}

/** Legal forms at the end of a company's name, as parts of a regular expression. */
const legalForms = [
  "&\\s*co\\.?|and company|company|co|corp|corporation|inc|incorporated|limited|ltd|llc|llp|plc|pty",
  "gmbh|mbh|ag|se|kg|kgaa|ug|ohg|e\\.?\\s?k|s\\.?a\\.?s?|s\\.?l|s\\.?r\\.?l|s\\.?p\\.?a|b\\.?v|n\\.?v|ab|a/s|oy|k\\.?k",
];
const legalForm = new RegExp(`[\\s,]+(${legalForms.join("|")})\\.?$`, "i");

/** Returns the name that people use: without legal forms, such as Inc. or GmbH & Co. KG. */
function shortName(company: string): string {
  const name = company.trim();
  const shorter = name.replace(legalForm, "");
  return shorter && shorter !== name ? shortName(shorter) : name;
}

const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const labelOf = (domain: string) => domain.split(".")[0];

/** Returns the own brand of a company. In a very short name, letter case counts: HP is not "hp" in a word. */
function ownBrand(company: string, domain: string): Brand {
  const name = shortName(company);
  const label = labelOf(domain);
  return {
    name,
    own: true,
    ...(lettersOf(name).length < 4 && { match: { case: "exact" as const } }),
    ...(lettersOf(label) !== lettersOf(name) && label.length > 3 && { aliases: [label] }),
    domains: [domain],
  };
}

/** Returns the rivals among the names in an answer, with the website if the answer cites it. */
function rivalOf(name: string, cited: string[]): Brand {
  const domain = cited.map(domainOf).find((host) => host && lettersOf(labelOf(host)) === lettersOf(name));
  return { name, ...(domain && { domains: [domain] }) };
}

/** Reports whether a name in an answer is the company itself. */
export const isCompany = (name: string, company: string) =>
  lettersOf(company) !== "" && lettersOf(shortName(name)) === lettersOf(shortName(company));

/** Returns the prompts of an industry with the words of a company. */
export function promptsFor({ name, category, industry, place, language, rivals }: Company): string[] {
  const words: Record<string, string | undefined> = { category, place, company: shortName(name), rival: rivals[0] };
  return industries[industry].prompts[language]
    .filter((template) => rivals.length || !template.includes("{rival}"))
    .map((template) => template.replace(/\{(\w+)\}/g, (_, word: string) => words[word]!.trim()));
}

/** Returns the tracker of a company. It asks daily, because a change shows only after several sweeps. */
export function trackerFor(company: Company, target: Target, cited: string[], timezone: string): TrackerDefinition {
  return {
    name: "",
    title: shortName(company.name),
    brands: [ownBrand(company.name, domainOf(company.website)!), ...company.rivals.map((name) => rivalOf(name, cited))],
    prompts: promptsFor(company),
    targets: [target],
    schedule: { every: "day", at: "06:00", timezone },
  };
}
