// Compares the answers to one prompt across platforms and countries.
import { useEffect, useRef, useState } from "preact/hooks";
import { changeQuery, countryName, route } from "../state";
import { download } from "../file";
import { Button, Copy, Dialog, Empty, Problem } from "../ui";
import { BrandPicker, useNamed } from "../compare/brands";
import { CellCard } from "../compare/cell";
import { Form } from "../compare/form";
import { Legend, Overview } from "../compare/overview";
import { cancel, comparison, idsOf, restore, start, underway, type Cell, type Comparison } from "../compare/run";
import { answered, brandMentions, csv, domainMentions, entityMentions, json } from "../compare/shared";
import { productName } from "../names";
import { ResultView } from "../result/output";
import "./compare.css";

export function Compare() {
  const run = comparison.value;
  const error = useKept(run);
  return (
    <>
      <h1>Compare</h1>
      <Form busy={!!run && underway(run.cells)} onRun={start} onCancel={cancel} />
      <Problem error={error} />
      {run ? (
        <Outcome run={run} />
      ) : (
        <Empty title="No comparison yet">
          <p>Ask several platforms, or one platform in several countries, and compare the answers and their sources.</p>
        </Empty>
      )}
    </>
  );
}

/** Keeps the IDs of the calls in the address, so that a comparison can be shared as a link. */
function useKept(run: Comparison | undefined): unknown {
  const [error, setError] = useState<unknown>();
  const busy = !!run && underway(run.cells);
  const ids = run && !busy ? idsOf(run).join() : "";
  const { answers = "" } = route.value.query;
  const ran = useRef(false);
  useEffect(() => {
    // An address with other calls is not overwritten by the previous comparison.
    if (ids && (ran.current || !answers)) changeQuery({ answers: ids });
    ran.current = busy;
  }, [busy, ids]);
  useEffect(() => {
    if (!answers || answers === ids || busy) return;
    const stop = new AbortController();
    restore(answers.split(","), stop.signal).then(
      () => setError(undefined),
      (problem) => {
        if (!stop.signal.aborted) setError(problem);
      },
    );
    return () => stop.abort();
  }, [answers]);
  return error;
}

function Outcome({ run }: { run: Comparison }) {
  const [open, setOpen] = useState<Cell>();
  const { cells } = run;
  const { named, error } = useNamed(cells);
  const done = answered(cells);
  const domains = domainMentions(cells);
  const ended = cells.filter((cell) => !underway([cell])).length;
  return (
    <section class="outcome" aria-label="Answers">
      <div class="row outcome-head">
        <h2>“{run.prompt}”</h2>
        <span class="faint" role="status" data-testid="progress">
          {ended} of {cells.length} finished, {done.length} answered
        </span>
        <Button
          text="Export JSON"
          class="small"
          disabled={!done.length}
          onClick={() => download(json(run), "comparison.json")}
        />
        <Button
          text="Export CSV"
          class="small"
          disabled={!done.length}
          onClick={() => download(csv(cells), "domains.csv")}
        />
        {route.value.query.answers && <Copy text={location.href} label="Copy link" />}
      </div>
      <BrandPicker error={error} />
      {ended < cells.length && <progress value={ended} max={cells.length} aria-label="Finished requests" />}
      {done.length > 1 && <Legend mentions={domains} />}
      {done.length > 0 && (
        <Overview
          cells={cells}
          domains={domains}
          entities={entityMentions(cells)}
          brands={named && brandMentions(cells, named)}
        />
      )}
      <div class="cells">
        {cells.map((cell, i) => (
          <CellCard
            key={i}
            cell={cell}
            mentions={domains}
            brands={named && cell.reply && [...new Set(named.get(cell.reply.requestId))]}
            column={done.indexOf(cell)}
            onOpen={() => setOpen(cell)}
          />
        ))}
      </div>
      <Dialog
        title={open ? `${productName(open.provider)}, ${countryName(open.country)}` : ""}
        open={!!open}
        onClose={() => setOpen(undefined)}>
        <Button text="Close" class="small compare-close" onClick={() => setOpen(undefined)} />
        {open?.reply && <ResultView result={open.reply.result} provider={open.provider} />}
      </Dialog>
    </section>
  );
}
