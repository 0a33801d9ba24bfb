// One prompt across providers and countries, side by side.
import { useState } from "preact/hooks";
import { countryName } from "../state";
import { download } from "../file";
import { Dialog, Empty } from "../ui";
import { CellCard } from "../compare/cell";
import { Form } from "../compare/form";
import { Legend, Overview } from "../compare/overview";
import { cancel, comparison, start, underway, type Cell, type Comparison } from "../compare/run";
import { answered, csv, domainMentions, entityMentions, json } from "../compare/shared";
import { ResultView } from "../result/output";
import "./compare.css";

export function Compare() {
  const run = comparison.value;
  return (
    <>
      <h1>Compare</h1>
      <Form busy={!!run && underway(run.cells)} onRun={start} onCancel={cancel} />
      {run ? <Outcome run={run} /> : (
        <Empty title="Nothing compared yet">
          <p>Ask several providers, or one from several countries: the answers appear here side by side, with the sources that they share.</p>
        </Empty>
      )}
    </>
  );
}

function Outcome({ run }: { run: Comparison }) {
  const [open, setOpen] = useState<Cell>();
  const { cells } = run;
  const done = answered(cells);
  const domains = domainMentions(cells);
  const ended = cells.filter((cell) => !underway([cell])).length;
  return (
    <section class="outcome" aria-label="Answers">
      <div class="row outcome-head">
        <h2>“{run.prompt}”</h2>
        <span class="faint" role="status" data-testid="progress">{ended} of {cells.length} ended, {done.length} answered</span>
        <button type="button" class="small" disabled={!done.length} onClick={() => download(json(run), "comparison.json")}>Export JSON</button>
        <button type="button" class="small" disabled={!done.length} onClick={() => download(csv(cells), "domains.csv")}>Export CSV</button>
      </div>
      {ended < cells.length && <progress value={ended} max={cells.length} aria-label="Calls that ended" />}
      {done.length > 1 && <Legend mentions={domains} />}
      {done.length > 0 && <Overview cells={cells} domains={domains} entities={entityMentions(cells)} />}
      <div class="cells">
        {cells.map((cell, i) => (
          <CellCard key={i} cell={cell} mentions={domains} column={done.indexOf(cell)} onOpen={() => setOpen(cell)} />
        ))}
      </div>
      <Dialog title={open ? `${open.provider}, ${countryName(open.country)}` : ""} open={!!open} onClose={() => setOpen(undefined)}>
        <button type="button" class="small compare-close" onClick={() => setOpen(undefined)}>Close</button>
        {open?.reply && <ResultView result={open.reply.result} provider={open.provider} />}
      </Dialog>
    </section>
  );
}
