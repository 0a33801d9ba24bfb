// What a request would cost, asked while its form is filled in.
import { useEffect, useState } from "preact/hooks";
import { ApiError, post, type FieldProblem } from "./api";

export interface Quote { credits?: number; problems: FieldProblem[]; error?: unknown }

const pause = 400;

/** The price of a task, or what is wrong with it, once nothing changed for a moment. */
export function useQuote(taskType: string, payload: unknown): Quote {
  const [quote, setQuote] = useState<Quote>({ problems: [] });
  const body = JSON.stringify({ taskType, payload });
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await ask(JSON.parse(body), stop.signal);
      if (!stop.signal.aborted) setQuote(answer);
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [body]);
  return quote;
}

async function ask(task: unknown, signal: AbortSignal): Promise<Quote> {
  try {
    return { credits: (await post("v1/quote", task, { signal })).creditsToCharge, problems: [] };
  } catch (error) {
    const problems = error instanceof ApiError ? error.fields.map(({ field, message }) => ({ field: field.replace(/^payload\./, ""), message })) : [];
    return problems.length ? { problems } : { problems, error };
  }
}
