// Pieces that tracking pages share: brands, verdicts, grades, what a number is made of.
import type { ComponentChildren } from "preact";
import { ApiError } from "../api";
import type { ComparedRow, GradedCut, MetricRow, Tracker } from "../api.gen";
import { session } from "../session";
import { Button, number, Problem } from "../ui";
import { answersAddress } from "./address";
import { criterionWords, floorWords, gradeWords, percent, points, signed, verdictWords } from "./words";

/**
 * What a tab is given: the tracker with its definition, its panel, what stands behind the tab in the address,
 * and a way to read the tracker again.
 */
export interface TabProps {
  tracker: Tracker;
  panel: PanelBrand[];
  parts: string[];
  again: () => void;
}

/** A brand of the panel with its look, which it keeps as long as the panel's order does. */
export interface PanelBrand {
  name: string;
  own: boolean;
  look: number;
}

const looks = 7;
const shapes = ["●", "■", "▲", "◆", "✚", "▼", "▬"];

/**
 * The panel: the first own brand has look 0, the others follow in their order, and from the seventh on they
 * share one.
 */
export function panelOf(tracker: Pick<Tracker, "definition">): PanelBrand[] {
  const brands = tracker.definition?.brands ?? [];
  const first = brands.find(({ own }) => own)?.name;
  let next = 1;
  return brands.map(({ name, own }) => ({ name, own: !!own, look: name === first ? 0 : Math.min(next++, looks - 1) }));
}

/** The brand that headlines speak of: the first own one, else the first. */
export const leadOf = (panel: PanelBrand[]) => panel.find(({ look }) => look === 0) ?? panel[0];

export const brandColor = (look: number) => `var(--b${look})`;

/** The mark of a brand: a colour and a shape. The name stands beside it. */
export function BrandMark({ look }: { look: number }) {
  return (
    <span class="brand-mark" aria-hidden="true" style={{ color: brandColor(look) }}>
      {shapes[look]}
    </span>
  );
}

export function BrandName({ brand }: { brand: PanelBrand }) {
  return (
    <span class="brand-name">
      <BrandMark look={brand.look} /> {brand.name}
      {brand.own && (
        <>
          {" "}
          <span class="badge own">own</span>
        </>
      )}
    </span>
  );
}

type ValueProps = { of: number | null | undefined; show?: (value: number | null | undefined) => string };

/** A number that carries the API's exact value. */
export function Value({ of, show = percent }: ValueProps) {
  return of == null ? <>–</> : <data value={String(of)}>{show(of)}</data>;
}

/** The verdict on a change. Green and red are for the own brand only: what a rival does is neither good nor bad. */
export function VerdictMark({ row, own }: { row: ComparedRow; own: boolean }) {
  const words = verdictWords(row);
  if (row.verdict === "tooEarly" || row.change == null) return <span class="verdict early">◌ {words}</span>;
  if (row.verdict === "steady") return <span class="verdict flat">= {words}</span>;
  const down = row.change < 0;
  return (
    <span class={`verdict ${own ? (down ? "down" : "up") : "flat moved"}`}>
      {down ? "▼" : "▲"} {words}
    </span>
  );
}

/** A change in points with the noise floor below it. Noise is grey. */
export function Delta({ row, own }: { row: ComparedRow | undefined; own: boolean }) {
  if (!row || row.change == null) return <span class="faint">–</span>;
  const moved = row.verdict === "moved";
  const look = !moved ? "noise" : !own ? "moved" : row.change < 0 ? "moved bad" : "moved good";
  return (
    <span class="delta">
      <span class={look}>
        {moved && (row.change < 0 ? "▼ " : "▲ ")}
        <Value of={row.change} show={(v) => signed(v!)} />
      </span>
      <span class="faint">{floorWords(row)}</span>
      {row.noiseFloor != null && (
        <span class="faint">
          asked twice: ±<Value of={row.noiseFloor} show={points} />
        </span>
      )}
    </span>
  );
}

/** What numbers are good for, in a word; why opens below it. */
export function GradeBadge({ grade }: { grade: GradedCut["grade"] }) {
  const bars = { "decision-grade": 3, directional: 2, exploratory: 1 }[grade];
  return (
    <span class={`badge grade g${bars}`}>
      <span aria-hidden="true">
        {"▮".repeat(bars)}
        {"▯".repeat(3 - bars)}
      </span>{" "}
      {gradeWords[grade]}
    </span>
  );
}

export function GradeReasons({ cut }: { cut: GradedCut }) {
  return (
    <ul class="criteria">
      {cut.criteria.map((c) => (
        <li key={c.name} class={c.met ? "met" : "unmet"}>
          <span class="hidden-words">{c.met ? "Met: " : "Not met: "}</span>
          {criterionWords(c)}
        </li>
      ))}
    </ul>
  );
}

/** Something to know before a number is used. */
export function Caution({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <p class="caution">
      <strong>{title}</strong> <span>{children}</span>
    </p>
  );
}

/** Says that answers were made up, wherever numbers of them are shown. */
export function MadeUp({ when }: { when: boolean | undefined }) {
  return when ? (
    <p class="lab-note">
      <strong>Made up.</strong> The built-in lab wrote these answers; nothing on this page is real.
    </p>
  ) : null;
}

/** What a number is made of, with the way to its answers. */
export function Basis({ tracker, row }: { tracker: string; row: MetricRow }) {
  return (
    <p class="basis" data-testid="basis">
      <span>
        <strong>{number(row.numerator)}</strong> of <strong>{number(row.denominator)}</strong> answers
      </span>
      {row.cells !== undefined && (
        <span>
          <strong>{number(row.cells)}</strong> {row.cells === 1 ? "cell" : "cells"}
        </span>
      )}
      {row.sweeps !== undefined && (
        <span>
          <strong>{number(row.sweeps)}</strong> {row.sweeps === 1 ? "sweep" : "sweeps"}
        </span>
      )}
      <span>
        <strong>{number(row.missing)}</strong> {row.missing === 1 ? "answer" : "answers"} missing
      </span>
      <span>
        {row.metric}, rules {row.rules}
      </span>
      <a href={answersAddress(tracker, row.answersUrl)}>Open these answers</a>
    </p>
  );
}

/** Grey bars in the place of what is being loaded. */
export function Skeleton({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div class="card skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} class={`bar w${i % 4}`} />
      ))}
    </div>
  );
}

/** An error, with a way to try again; what was loaded before stays on the page. */
export function Failed({ error, again, stale }: { error: unknown; again: () => void; stale?: boolean }) {
  if (!error) return null;
  return (
    <div class="failed">
      <Problem error={error} />
      <p>
        {stale && "What is shown was loaded before. "}
        {error instanceof ApiError && error.status >= 500 && "Sweeps go on as planned. "}
        <Button text="Try again" class="small" onClick={again} />
      </p>
    </div>
  );
}

/** Whether the key that is signed in may change trackers; where it may not, such actions are absent. */
export const mayTrack = () => !!session.value?.scopes.includes("track");
