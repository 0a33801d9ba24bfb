// One answer of a comparison.
import { useState } from "preact/hooks";
import { addressOf, countryName } from "../state";
import { Button, counted, Problem, Spinner } from "../ui";
import { isMadeUp } from "../result/origin";
import { cellName, words, type Cell, type Reply } from "./run";
import { Domains } from "./overview";
import type { Mention } from "./shared";

const shortLength = 320;

interface CellCardProps {
  cell: Cell;
  mentions: Mention[];
  /** In the order of naming, where brands are counted. */
  brands?: string[];
  column: number;
  onOpen: () => void;
}

/** column is where the answer's counts stand in the mentions. */
export function CellCard({ cell, mentions, brands, column, onOpen }: CellCardProps) {
  return (
    <article class="card compare-cell" data-testid="cell" data-phase={cell.phase} aria-label={cellName(cell)}>
      <h3>
        {cell.provider} <span class="faint">{countryName(cell.country)}</span>
      </h3>
      {cell.phase === "waiting" && <p class="faint">Waiting for its turn</p>}
      {cell.phase === "running" && (
        <p class="faint">
          <Spinner label="Running" /> Asking…
        </p>
      )}
      {cell.phase === "cancelled" && <p class="faint">Cancelled</p>}
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
          <strong>Made up</strong> by the built-in lab.
        </p>
      )}
      {brands && (
        <p class="cell-brands" data-testid="cell-brands">
          {brands.length ? (
            <>
              Names <strong>{brands.join(", ")}</strong>
            </>
          ) : (
            <span class="faint">Names none of the brands</span>
          )}
        </p>
      )}
      <p class="words" data-testid="answer">
        {cut && !long ? `${text.slice(0, shortLength)}…` : text || <span class="faint">No text</span>}
      </p>
      <div class="row">
        {cut && (
          <Button
            text={long ? "Shorter" : "Whole text"}
            class="small"
            aria-expanded={long}
            onClick={() => setLong(!long)}
          />
        )}
        <Button text="Full answer" class="small" data-testid="open" onClick={onOpen} />
        {reply.requestId && (
          <a href={addressOf(["history", reply.requestId])} data-testid="kept">
            In the history
          </a>
        )}
      </div>
      <Domains mentions={mentions} column={column} />
      <p class="faint compare-facts">
        <span>{("model" in reply.result && reply.result.model) || "model not told"}</span>
        <span class="badge" title="Surface">
          {reply.result.surface}
        </span>
        <span>{reply.ms < 1000 ? `${reply.ms} ms` : `${(reply.ms / 1000).toFixed(1)} s`}</span>
        <span>{counted(reply.credits, "credit")}</span>
      </p>
    </>
  );
}
