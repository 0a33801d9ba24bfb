// What a comparison is made of: one prompt, asked of each provider from each country.
import type { Payload } from "../api";
import type { NewsResult, OrganicResult, Provider as ProviderName, TaskResult, TaskType } from "../api.gen";
import type { Provider } from "../openapi";

export const maxCountries = 6;

/** One question of a comparison before it is asked. */
export interface Question { provider: ProviderName; taskType: TaskType; country: string; payload: Payload }

/** Every pair of a provider and a country, provider by provider. */
export function questions(prompt: string, providers: Provider[], countries: string[]): Question[] {
  return providers.flatMap((provider) => countries.map((country) => ({
    provider: provider.name, taskType: provider.taskType, country,
    payload: { [provider.textField]: prompt, country },
  })));
}

/** What came back for one question. */
export interface Reply { result: TaskResult; requestId: string; credits: number | null; ms: number }

export type Phase = "waiting" | "running" | "done" | "failed" | "cancelled";

export interface Cell extends Question { phase: Phase; reply?: Reply; error?: unknown }

export const cellName = ({ provider, country }: { provider: string; country: string }) => `${provider} · ${country}`;

/** The words of a result: the answer, or what the found pages are called. */
export const words = (result: TaskResult) => ("text" in result ? result.text : found(result).map(({ title }) => title).join("\n"));

/** The pages that a search found. */
export function found(result: TaskResult): (OrganicResult | NewsResult)[] {
  if ("organicResults" in result) return result.organicResults;
  return "newsResults" in result ? result.newsResults : [];
}
