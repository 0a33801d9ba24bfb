// What a comparison is made of: one prompt, asked of each provider from each country.
import type { Provider } from "../state";

export const mostCountries = 6;

/** One question of a comparison before it is asked. */
export interface Question { provider: string; taskType: string; country: string; payload: Record<string, unknown> }

/** Every pair of a provider and a country, provider by provider. */
export function questions(prompt: string, providers: Provider[], countries: string[]): Question[] {
  return providers.flatMap((provider) => countries.map((country) => ({
    provider: provider.name, taskType: provider.taskType, country,
    payload: { [promptField(provider)]: prompt, country },
  })));
}

/** Assistants take a prompt, searches a query. */
function promptField(provider: Provider) {
  return provider.schema.properties.prompt ? "prompt" : "query";
}

/** What came back for one question. */
export interface Reply { result: any; requestId: string; credits: number | null; ms: number }

export type Phase = "waiting" | "running" | "done" | "failed" | "cancelled";

export interface Cell extends Question { phase: Phase; reply?: Reply; error?: unknown }

export const cellName = ({ provider, country }: { provider: string; country: string }) => `${provider} · ${country}`;

/** The words of a result: the answer, or what the found pages are called. */
export function words(result: any): string {
  if (typeof result.text === "string") return result.text;
  return found(result).map((page) => String(page.title ?? "")).join("\n");
}

/** The pages that a search found. */
export function found(result: any): any[] {
  return [result.organicResults, result.newsResults].find(Array.isArray) ?? [];
}
