// The headline: one share, what it would be if asked again, and whether it changed.
import type { ComparedRow, MetricRow } from "../api.gen";
import { BrandMark, Caution, Value, VerdictMark, type PanelBrand } from "./pieces";
import { percent, points, range } from "./words";

interface HeadlineProps {
  brand: PanelBrand;
  row: MetricRow;
  compared?: ComparedRow;
  days: number;
}

export function Headline({ brand, row, compared, days }: HeadlineProps) {
  const { rerun, market } = row.interval ?? {};
  return (
    <>
      <div class="headline">
        <div>
          <p class="big" data-testid="headline">
            <Value of={row.value} />
          </p>
          <p class="what">
            of answers name <BrandMark look={brand.look} /> <strong>{brand.name}</strong>
          </p>
          {compared && <VerdictMark row={compared} own={brand.own} />}
        </div>
        <div>
          <ul class="sentences">
            {rerun && (
              <li>
                <span class="key rerun" aria-hidden="true" />
                <span>
                  <strong>Asked again tomorrow,</strong> this would be between {range(rerun, "and")}.
                </span>
              </li>
            )}
            {market && (
              <li>
                <span class="key market" aria-hidden="true" />
                <span>
                  <strong>For questions like these,</strong> not only yours, it is between {range(market, "and")}.
                </span>
              </li>
            )}
            {compared && (
              <li>
                <span class="key before" aria-hidden="true" />
                <span>{beforeWords(compared, days)}</span>
              </li>
            )}
          </ul>
          <Rail row={row} before={compared?.before} />
        </div>
      </div>
      <Cautions row={row} compared={compared} />
    </>
  );
}

/** The comparison with the time before, over the questions that both have. */
function beforeWords(row: ComparedRow, days: number) {
  if (row.before == null || row.change == null)
    return (
      <>
        <strong>In the {days} days before</strong> there are no answers to compare with.
      </>
    );
  const was = (
    <>
      <strong>In the {days} days before</strong> it was {percent(row.before)}
      {row.cellsLeftOut > 0 && ", over the cells that both have"}.
    </>
  );
  if (row.verdict === "tooEarly")
    return (
      <>
        {was} Too early to tell whether it moved: {row.sweepsBefore} and {row.sweepsAfter} sweeps, 5 a side are needed.
      </>
    );
  const floor =
    row.interval && row.interval.length === 2
      ? ((100 * (row.interval[1] - row.interval[0])) / 2).toFixed(1)
      : undefined;
  return (
    <>
      {was} {floor && `Noise alone gives up to ${floor} points; `}
      {row.verdict === "moved" ? "this is more." : "this is no more."}
      {row.noiseFloor != null && (
        <>
          {" "}
          A sweep that was repeated at once differed by <Value of={row.noiseFloor} show={points} /> points.
        </>
      )}
    </>
  );
}

function Cautions({ row, compared }: { row: MetricRow; compared?: ComparedRow }) {
  const early = row.provisional && row.sweeps !== undefined;
  return (
    <>
      {early && (
        <Caution title="Provisional.">
          {row.sweeps} of 5 sweeps so far: days differ by more than these ranges show.
        </Caution>
      )}
      {(row.lag1 ?? 0) > 0.5 && (
        <Caution title="Read with care.">
          Neighbouring days resemble each other, so "asked again tomorrow" is a little too narrow.
        </Caution>
      )}
      {compared && compared.cells > 0 && compared.cellsLeftOut > 0 && (
        <Caution title="Not all compared.">
          {compared.cellsLeftOut} cells have answers in only one of the two periods and are left out of the comparison.
        </Caution>
      )}
    </>
  );
}

/** Both intervals on one rail, with the value of the time before. The sentences say the same. */
function Rail({ row, before }: { row: MetricRow; before?: number | null }) {
  const { rerun, market } = row.interval ?? {};
  if (row.value == null || !rerun) return null;
  const all = [...rerun, ...(market ?? []), row.value, ...(before == null ? [] : [before])];
  const low = Math.max(0, Math.floor((Math.min(...all) - 0.03) * 20) / 20);
  const high = Math.min(1, Math.ceil((Math.max(...all) + 0.03) * 20) / 20);
  const at = (share: number) => `${(100 * (share - low)) / (high - low)}%`;
  const span = ([from, to]: number[]) => ({ left: at(from), width: `${(100 * (to - from)) / (high - low)}%` });
  const step = high - low > 0.5 ? 0.1 : 0.05;
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step);
  return (
    <div class="range" aria-hidden="true">
      <i class="axis" />
      {market && <i class="market" style={span(market)} />}
      <i class="rerun" style={span(rerun)} />
      {before != null && <i class="then" style={{ left: at(before) }} />}
      <i class="now" style={{ left: at(row.value) }} />
      {ticks.map((tick) => (
        <span key={tick} class="tick" style={{ left: at(tick) }}>
          {Math.round(100 * tick)}
        </span>
      ))}
    </div>
  );
}
