// The results of web search and news search.
import { useId } from "preact/hooks";
import type {
  Discussion,
  KnowledgeGraph,
  NewsSearch,
  OrganicResult,
  Question as AskedQuestion,
  WebSearch,
} from "earshot";
import { External } from "../external";
import { AnswerView, Cited } from "./answer";
import { Ads, NamedValues, PlaceCards, ShoppingCards, Sitelinks, VideoCards } from "./cards";
import { Blocks, Layout, Snippet } from "./blocks";
import { Facts, Queries, Section } from "./pieces";
import { SourceCards } from "./sources";

const below = new Set(["bottom", "side"]);

export function SearchView({ result, onAsk }: { result: WebSearch; onAsk?: (query: string) => void }) {
  const first = result.ads.filter((ad) => !below.has(ad.block));
  const last = result.ads.filter((ad) => below.has(ad.block));
  return (
    <div class={result.knowledgeGraph ? "serp beside" : "serp"} data-testid="search-results">
      <div>
        {result.searchoverview && (
          <section class="part overview" data-testid="overview">
            <h3>AI overview</h3>
            <AnswerView result={result.searchoverview} onAsk={onAsk} />
          </section>
        )}
        <Layout blocks={result.layout} />
        {result.answerBox && (
          <section class="part" data-testid="answer-box">
            <h3>Answer</h3>
            <p>{result.answerBox.text}</p>
          </section>
        )}
        {result.featuredSnippet && <Snippet snippet={result.featuredSnippet} />}
        <Section title="Ads" count={first.length} id="ads">
          <Ads ads={first} />
        </Section>
        <Section title="Results" count={result.organicResults.length} id="organic">
          <Organic results={result.organicResults} />
        </Section>
        {!result.organicResults.length && <p class="faint">No organic results</p>}
        <Section title="People also ask" count={result.peopleAlsoAsk.length} id="questions">
          {result.peopleAlsoAsk.map((question, i) => (
            <Question key={i} question={question} />
          ))}
        </Section>
        <Blocks result={result} />
        <Section title="Shopping" count={result.shoppingCards?.length} id="shopping">
          <ShoppingCards cards={result.shoppingCards} />
        </Section>
        <Section title="Places" count={result.places?.length} id="places">
          <PlaceCards places={result.places} />
        </Section>
        <Section title="Videos" count={result.videos?.length} id="videos">
          <VideoCards videos={result.videos} />
        </Section>
        <Section title="Discussions" count={result.discussions?.length} id="discussions">
          <Discussions threads={result.discussions} />
        </Section>
        <Section title="More ads" count={last.length}>
          <Ads ads={last} />
        </Section>
        <Section title="Related searches" count={result.relatedSearches.length} id="related-searches">
          <Queries of={result.relatedSearches.map(({ query }) => query)} onAsk={onAsk} />
        </Section>
      </div>
      {result.knowledgeGraph && <Panel about={result.knowledgeGraph} />}
    </div>
  );
}

function Organic({ results }: { results: OrganicResult[] }) {
  return (
    <ol class="results">
      {results.map((result) => (
        <li key={result.position} data-testid="organic-result">
          <Facts
            of={[
              <span class="position">{result.position}</span>,
              result.displayedLink,
              result.page > 1 && `page ${result.page}`,
            ]}
          />
          <div class="title">
            <External href={result.link}>{result.title}</External>
          </div>
          <p>
            {result.date && <span class="faint">{result.date} — </span>}
            {result.snippet}
          </p>
          <Sitelinks links={result.sitelinks} />
        </li>
      ))}
    </ol>
  );
}

/** A question with its answer and sources. */
function Question({ question }: { question: AskedQuestion }) {
  const id = useId();
  const sources = question.sources ?? [];
  return (
    <details class="question" data-testid="question">
      <summary>{question.question}</summary>
      {question.markdown ? (
        <Cited answer={id} markdown={question.markdown} pills={sources} />
      ) : (
        question.snippet && <p>{question.snippet}</p>
      )}
      {question.link && (
        <div class="title">
          <External href={question.link}>{question.title || question.link}</External>
        </div>
      )}
      {!!sources.length && <SourceCards answer={id} sources={sources} />}
      {!question.markdown && !question.snippet && !question.link && <p class="faint">No answer</p>}
    </details>
  );
}

function Discussions({ threads = [] }: { threads: Discussion[] | undefined }) {
  return (
    <ul class="results">
      {threads.map((thread, i) => (
        <li key={i}>
          <div class="title">
            <External href={thread.link}>{thread.title}</External>
          </div>
          <Facts of={[thread.date]} />
        </li>
      ))}
    </ul>
  );
}

function Panel({ about }: { about: KnowledgeGraph }) {
  return (
    <aside class="item panel" data-testid="knowledge-panel">
      <h3>{about.title}</h3>
      <Facts of={[about.type]} />
      {about.description && <p>{about.description}</p>}
      <Facts of={[about.source]} />
      {about.website && (
        <p>
          <External href={about.website}>{about.website}</External>
        </p>
      )}
      <NamedValues values={about.attributes} />
      <Sitelinks links={about.profiles.map(({ name, link }) => ({ title: name, link }))} />
    </aside>
  );
}

export function NewsView({ result }: { result: NewsSearch }) {
  if (!result.newsResults.length) return <p class="faint">No news</p>;
  return (
    <ol class="results" data-testid="news">
      {result.newsResults.map((news) => (
        <li key={news.position} data-testid="news-result">
          <Facts
            of={[
              <span class="position">{news.position}</span>,
              news.source || news.domain,
              news.date,
              news.page > 1 && `page ${news.page}`,
            ]}
          />
          <div class="title">
            <External href={news.link}>{news.title}</External>
          </div>
          <p>{news.snippet}</p>
        </li>
      ))}
    </ol>
  );
}
