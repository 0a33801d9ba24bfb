// Components that the tracker pages share: brands, changes, data quality, the basis of a number.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ComparedRow, GradedCut, MetricRow, Tracker } from "earshot";
import { targetLabel } from "../names";
import { shapes } from "../plot/chart";
import { may } from "../session";
import { Button, counted, number } from "../ui";
import { answersAddress, whyAddress } from "./address";
import { criterionWords, gradeWords, percent, points, signed, variationWords, verdictWords } from "./words";

/** The props of a tab: parts is the rest of the address behind the tab, again reads the tracker again. */
export interface TabProps {
  tracker: Tracker;
  panel: PanelBrand[];
  parts: string[];
  again: () => void;
}

/** A tracked brand with the number of its color and shape. */
export interface PanelBrand {
  name: string;
  own: boolean;
  look: number;
}

const looks = shapes.length;

/** Returns the brands of a tracker. The first own brand has look 0; from the seventh on, brands share the last look. */
export function panelOf(tracker: Pick<Tracker, "definition">): PanelBrand[] {
  const brands = tracker.definition?.brands ?? [];
  const first = brands.find(({ own }) => own)?.name;
  let next = 1;
  return brands.map(({ name, own }) => ({ name, own: !!own, look: name === first ? 0 : Math.min(next++, looks - 1) }));
}

/** Returns the brand that the headline is about: the first own brand, or else the first brand. */
export const leadOf = (panel: PanelBrand[]) => panel.find(({ look }) => look === 0) ?? panel[0];

/** Returns the look of a brand by its name; a brand that is not tracked has the last one. */
export const lookOf = (panel: PanelBrand[], brand: string) =>
  panel.find(({ name }) => name === brand)?.look ?? looks - 1;

export const brandColor = (look: number) => `var(--b${look})`;

/** The color and shape of a brand. */
export const BrandMark = ({ look }: { look: number }) => (
  <span class="brand-mark" aria-hidden="true" style={{ color: brandColor(look) }}>
    {shapes[look]}
  </span>
);

export function BrandName({ brand }: { brand: PanelBrand }) {
  return (
    <span class="brand-name">
      <BrandMark look={brand.look} /> <bdi>{brand.name}</bdi> {brand.own && <span class="badge own">own</span>}
    </span>
  );
}

/** The brand of a row, with its target if the row is about one. */
export const BrandOf = ({ brand, target }: { brand: PanelBrand; target: string }) => (
  <>
    <BrandName brand={brand} /> <TargetNote of={target} />
  </>
);

/** The target of a row; nothing for a row about all targets. */
export const TargetNote = ({ of }: { of: string }) =>
  of === "*" ? null : <span class="faint">{targetLabel(of)}</span>;

type ValueProps = { of: number | null | undefined; show?: (value: number | null | undefined) => string };

/** A number that carries the API's exact value. */
export const Value = ({ of, show = percent }: ValueProps) =>
  of == null ? <>–</> : <data value={String(of)}>{show(of)}</data>;

export const StrongValue = ({ of }: ValueProps) => (
  <strong>
    <Value of={of} />
  </strong>
);

/** Tags, types and similar short texts. */
export const Badges = ({ of = [] }: { of?: string[] }) => (
  <>
    {of.map((text) => (
      <span key={text} class="badge">
        {text}
      </span>
    ))}
  </>
);

/** The verdict on a change. Only the own brand's verdict is green or red. */
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

/** A change in points, with the normal variation below it: grey within it, and otherwise a link to the reasons. */
export function Delta({ row, own }: { row: ComparedRow | undefined; own: boolean }) {
  if (!row || row.change == null) return <span class="faint">–</span>;
  const moved = row.verdict === "moved";
  const look = !moved ? "noise" : !own ? "moved" : row.change < 0 ? "moved bad" : "moved good";
  const change = <Value of={row.change} show={(v) => signed(v!)} />;
  return (
    <span class="delta">
      {moved ? (
        <a class={look} href={whyAddress(row)} title="Why did it change?">
          {row.change < 0 ? "▼ " : "▲ "}
          {change}
        </a>
      ) : (
        <span class={look}>{change}</span>
      )}
      <span class="faint">{variationWords(row)}</span>
      {row.noiseFloor != null && (
        <span class="faint">
          Repeated sweep: ±<Value of={row.noiseFloor} show={points} />
        </span>
      )}
    </span>
  );
}

/** The data quality in a word. */
export function GradeBadge({ grade }: { grade: GradedCut["grade"] }) {
  const bars = { "decision-grade": 3, directional: 2, exploratory: 1 }[grade];
  return (
    <span class={`badge grade g${bars}`} title={grade}>
      <span aria-hidden="true">{"▮".repeat(bars) + "▯".repeat(3 - bars)}</span> {gradeWords[grade]}
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

/** A warning about a number. */
export const Caution = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <p class="caution">
    <strong>{title}</strong> <span>{children}</span>
  </p>
);

/** Says that the answers on the page are invented. */
export const SampleData = ({ when }: { when: boolean | undefined }) =>
  when ? (
    <p class="lab-note">
      <strong>Sample data.</strong> The built-in lab generated these answers. Nothing on this page is real.
    </p>
  ) : null;

/** Returns the first rows, and a button that shows the others, too. */
export function useFirst<Row>(rows: Row[], first: number): [Row[], ComponentChildren] {
  const [all, setAll] = useState(false);
  const text = all ? "Show fewer" : `Show ${number(rows.length)}`;
  return [
    all ? rows : rows.slice(0, first),
    rows.length > first && <Button text={text} class="small" aria-expanded={all} onClick={() => setAll(!all)} />,
  ];
}

type PagerProps = {
  from: number;
  rows: number;
  total: number;
  size: number;
  more: boolean;
  turn: (by: number) => void;
};

/** Which rows of a list are shown, and the buttons for other pages; turn gets 1 or -1. */
export const Pager = ({ from, rows, total, size, more, turn }: PagerProps) => (
  <div class="pager">
    <span class="faint">{rows > 0 && `${number(from + 1)}–${number(from + rows)} of ${number(total)}`}</span>
    {total > size && (
      <span>
        <Button text="Previous" class="small" disabled={from === 0} onClick={() => turn(-1)} />{" "}
        <Button text="Next" class="small" disabled={!more} onClick={() => turn(1)} />
      </span>
    )}
  </div>
);

/** What a number is based on, with a link to its answers. */
export function Basis({ tracker, row }: { tracker: string; row: MetricRow }) {
  return (
    <p class="basis" data-testid="basis">
      <span>
        <strong>{number(row.numerator)}</strong> of <strong>{number(row.denominator)}</strong> answers
      </span>
      {row.cells !== undefined && <span>{counted(row.cells, "prompt × target pair")}</span>}
      {row.sweeps !== undefined && <span>{counted(row.sweeps, "sweep")}</span>}
      <span>{number(row.missing)} missing</span>
      <span>
        {row.metric}, matching rules {row.rules}
      </span>
      <a href={answersAddress(tracker, row.answersUrl)}>View answers</a>
    </p>
  );
}

/** Reports whether the key may change trackers. Keys without the scope do not see such actions. */
export const mayTrack = () => may("track");

/** Returns the API path of a tracker, for the code examples. */
export const apiPath = (tracker: string, rest = "") => `/v1/trackers/${encodeURIComponent(tracker)}${rest}`;
