// A result of any provider, as people like to read it.
import { countryName } from "../state";
import { AnswerView } from "./answer";
import { Facts } from "./pieces";
import { NewsView, SearchView } from "./search";
import "./result.css";

/** The result of a provider, named by its path. Queries that it suggests go to onAsk. */
export function ResultView({ result, provider, onAsk }: { result: any; provider: string; onAsk?: (query: string) => void }) {
  return (
    <div class="result" data-testid="result" data-provider={provider}>
      <Origin result={result} />
      {result.organicResults ? <SearchView result={result} onAsk={onAsk} />
        : result.newsResults ? <NewsView result={result} />
          : <AnswerView result={result} onAsk={onAsk} />}
    </div>
  );
}

const surfaces: Record<string, string> = { web: "Read from the provider's pages", api: "From the provider's official API" };

/** Where the result came from: nobody shall take the lab's word for a provider's. */
function Origin({ result: { surface, location, model } }: { result: any }) {
  const place = location && [location.state, countryName(location.country)].filter(Boolean).join(", ");
  return (
    <>
      {surface === "lab" && <p class="lab" data-testid="lab-hint"><strong>Made up.</strong> The built-in lab wrote this answer; nothing in it is real.</p>}
      <Facts of={[surface !== "lab" && (surfaces[surface] ?? surface), <span data-testid="surface" class="badge">{surface}</span>, place && `Asked from ${place}`, model && `Model ${model}`]} />
    </>
  );
}
