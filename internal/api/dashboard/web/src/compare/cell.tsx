// One answer of a comparison.
import { useState } from "preact/hooks";
import { addressOf, countryName } from "../state";
import { Button, counted, Problem, Spinner } from "../ui";
import { isMadeUp } from "../result/origin";
import { productName } from "../names";
import { span } from "../tasks/pieces";
import { cellName, words, type Cell, type Reply } from "./run";
import { Domains } from "./overview";
import type { Mention } from "./shared";

const shortLength = 320;

interface CellCardProps {
  cell: Cell;
  mentions: Mention[];
  /** The named brands in their order, if a tracker is chosen. */
  brands?: string[];
  column: number;
  onOpen: () => void;
}

/** An answer. column is its index in the counts of the mentions. */
export function CellCard({ cell, mentions, brands, column, onOpen }: CellCardProps) {
  return (
    <article class="card compare-cell" data-testid="cell" data-phase={cell.phase} aria-label={cellName(cell)}>
      <h3>
        {productName(cell.provider)} <span class="faint">{countryName(cell.country)}</span>
      </h3>
      {cell.phase === "waiting" && <p class="faint">Waiting</p>}
      {cell.phase === "running" && (
        <p class="faint">
          <Spinner label="Running" /> Running…
        </p>
      )}
      {cell.phase === "cancelled" && <p class="faint">Canceled</p>}
      {cell.phase === "failed" && <Problem error={cell.error} />}
      {cell.reply && <Answer reply={cell.reply} mentions={mentions} brands={brands} column={column} onOpen={onOpen} />}
    </article>
  );
}

type AnswerProps = { reply: Reply; mentions: Mention[]; brands?: string[]; column: number; onOpen: () => void };

function Answer({ reply, mentions, brands, column, onOpen }: AnswerProps) {
  const [long, setLong] = useState(false);
  const text = words(reply.result);
  const cut = text.length > shortLength;
  return (
    <>
      {isMadeUp(reply.result) && (
        <p class="lab" data-testid="lab-hint">
          <strong>Sample data</strong> from the built-in lab
        </p>
      )}
      {brands && (
        <p class="cell-brands" data-testid="cell-brands">
          {brands.length ? (
            <>
              Names <strong>{brands.join(", ")}</strong>
            </>
          ) : (
            <span class="faint">Names no tracked brand</span>
          )}
        </p>
      )}
      <p class="words" data-testid="answer">
        {cut && !long ? `${text.slice(0, shortLength)}…` : text || <span class="faint">No text</span>}
      </p>
      <div class="row">
        {cut && (
          <Button
            text={long ? "Show less" : "Show more"}
            class="small"
            aria-expanded={long}
            onClick={() => setLong(!long)}
          />
        )}
        <Button text="View result" class="small" data-testid="open" onClick={onOpen} />
        {reply.requestId && (
          <a href={addressOf(["history", reply.requestId])} data-testid="kept">
            View in history
          </a>
        )}
      </div>
      <Domains mentions={mentions} column={column} />
      <p class="faint compare-facts">
        <span>{("model" in reply.result && reply.result.model) || "Unknown model"}</span>
        <span class="badge" title="Surface">
          {reply.result.surface}
        </span>
        <span>{span(reply.ms)}</span>
        <span>{counted(reply.credits, "credit")}</span>
      </p>
    </>
  );
}
