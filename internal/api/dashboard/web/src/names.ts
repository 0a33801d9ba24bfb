// The names that people know for the API's providers and targets.
import type { Provider } from "./api.gen";

const products: Record<Provider, string> = {
  chatassistant: "ChatGPT",
  genassistant: "Gemini",
  socialassistant: "Grok",
  officeassistant: "Copilot",
  answerengine: "Perplexity",
  websearch: "Google Search",
  "websearch/news": "Google News",
  searchaimode: "Google AI Mode",
};

/** Returns the product of a provider, such as ChatGPT; an unknown provider keeps its API name. */
export const productName = (provider: string) =>
  Object.hasOwn(products, provider) ? products[provider as Provider] : provider;

/** Returns the product of a task type, such as Google News for WEBSEARCH_NEWS. */
export const productOfTask = (taskType: string) => productName(taskType.toLowerCase().replace("_", "/"));

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
