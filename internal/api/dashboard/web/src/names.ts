// The names that people know for the API's providers and targets.
import type { Provider } from "earshot";

const products: Record<Provider, string> = {
  chatassistant: "ChatGPT",
  genassistant: "Gemini",
  socialassistant: "Grok",
  officeassistant: "Copilot",
  answerengine: "Perplexity",
  websearch: "Google Search",
  "websearch/news": "Google News",
  searchaimode: "Google AI Mode",
  claude: "Claude",
  model: "Other models",
};

/** Returns the product of a provider, such as ChatGPT; an unknown provider keeps its API name. */
export const productName = (provider: string) =>
  Object.hasOwn(products, provider) ? products[provider as Provider] : provider;

const companies: Record<string, string> = {
  openai: "OpenAI",
  gemini: "Google Gemini",
  xai: "xAI",
  perplexity: "Perplexity",
  brave: "Brave Search",
  anthropic: "Anthropic",
  dataforseo: "DataForSEO",
  serpapi: "SerpApi",
  brightdata: "Bright Data",
  oxylabs: "Oxylabs",
  olostep: "Olostep",
};

/** Returns an upstream for people: api:openai as "OpenAI API", via:brightdata as "Bright Data (vendor)". */
export function upstreamName(name: string): string {
  const [kind, company] = name.split(":", 2);
  const known = company && Object.hasOwn(companies, company) ? companies[company] : company;
  if (kind === "api") return `${known} API`;
  if (kind === "via") return `${known} (vendor)`;
  return { web: "Website", lab: "Lab (sample data)", replay: "Recording" }[kind] ?? name;
}

/**
 * Returns a target for people: chatassistant/US@web as "ChatGPT · US (web)". The target * stands for all targets, and
 * *web for all targets on one surface.
 */
export function targetLabel(target: string): string {
  const [path, surface] = target.split("@");
  if (path.startsWith("*")) return path === "*" ? "All targets" : `All targets (${path.slice(1)})`;
  // websearch/news comes before websearch, which is the beginning of its name.
  const provider = Object.keys(products)
    .sort((a, b) => b.length - a.length)
    .find((name) => `${path}/`.startsWith(`${name}/`));
  if (!provider) return target;
  const rest = path.slice(provider.length).split("/").slice(1);
  return [productName(provider), ...rest].join(" · ") + (surface ? ` (${surface})` : "");
}

/** Labels of fields that stand for a whole request or row. */
const wholes: Record<string, string> = { body: "The request", row: "This row" };

/** Returns the label of an API field: "Country" for payload.country, "Expires at" for expiresAt. */
export function fieldLabel(path: string): string {
  if (Object.hasOwn(wholes, path)) return wholes[path];
  const name = path
    .replace(/\[\d+\]/g, "")
    .split(".")
    .pop()!;
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
