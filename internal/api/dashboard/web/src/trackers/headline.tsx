// The headline: visibility, its ranges, and its change.
import type { ComparedRow, MetricRow } from "earshot";
import { counted } from "../ui";
import { whyAddress } from "./address";
import { BrandMark, Caution, Value, VerdictMark, type PanelBrand } from "./pieces";
import { percent, points, range, signed, variationWords } from "./words";

type HeadlineProps = { brand: PanelBrand; row: MetricRow; compared?: ComparedRow; days: number };

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
            of answers name <BrandMark look={brand.look} />{" "}
            <strong>
              <bdi>{brand.name}</bdi>
            </strong>
          </p>
          {compared && <VerdictMark row={compared} own={brand.own} />}
          {compared?.change != null && (
            <p>
              <a href={whyAddress(compared)} data-testid="why-link">
                {compared.verdict === "moved" ? "Why did it change?" : "What changed?"}
              </a>
            </p>
          )}
        </div>
        <div>
          <ul class="sentences">
            {rerun && (
              <li>
                <span class="key rerun" aria-hidden="true" />
                <span>
                  Expected range if re-run: <strong>{range(rerun)}</strong>
                </span>
              </li>
            )}
            {market && (
              <li>
                <span class="key market" aria-hidden="true" />
                <span>
                  Range for similar questions: <strong>{range(market)}</strong>
                </span>
              </li>
            )}
            {compared && (
              <li>
                <span class="key before" aria-hidden="true" />
                <span>
                  Previous {counted(days, "day")}: <Previous row={compared} />
                </span>
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

/** The value of the previous period, and how the change compares with normal variation. */
function Previous({ row }: { row: ComparedRow }) {
  if (row.before == null || row.change == null) return <>no data</>;
  return (
    <>
      <strong>{percent(row.before)}</strong>, change {signed(row.change)} points. {variationWords(row)}
      {row.noiseFloor != null && (
        <>
          {". "}A repeated sweep differed by <Value of={row.noiseFloor} show={points} /> points.
        </>
      )}
    </>
  );
}

function Cautions({ row, compared }: { row: MetricRow; compared?: ComparedRow }) {
  return (
    <>
      {row.provisional && row.sweeps !== undefined && (
        <Caution title="Preliminary.">
          Based on {row.sweeps} of 5 sweeps. The real ranges may be wider than shown.
        </Caution>
      )}
      {(row.lag1 ?? 0) > 0.5 && (
        <Caution title="Ranges may be too narrow.">Results of neighboring days are similar to each other.</Caution>
      )}
      {compared && compared.cells > 0 && compared.cellsLeftOut > 0 && (
        <Caution title="Partial comparison.">
          {counted(compared.cellsLeftOut, "prompt × target pair")} without answers in both periods left out.
        </Caution>
      )}
    </>
  );
}

/** Both ranges on one axis, with the value of the previous period. */
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
