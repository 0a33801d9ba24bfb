// The sources that are cited more or less than in the period before, and the sources that came and went.
import type { LostSource, SourceReport, SourceRow } from "earshot";
import { dateText } from "../../time";
import { counted, Loading, number, Skeleton, type Fetched } from "../../ui";
import { Caution, useFirst } from "../pieces";
import { percent } from "../words";
import { keyOf, SourceName, SourceType, wayOf, type Way } from "./source";

interface ChangesProps {
  now: SourceReport;
  before?: SourceReport;
  /** The same rows, with what changed since the period before. */
  since: Fetched<SourceReport>;
  noun: string;
  /** The most rows that were read. */
  most: number;
  against: { from: string; to: string };
}

export function Changes({ now, before, since, noun, most, against }: ChangesProps) {
  const past = new Map(before?.rows.map((row) => [keyOf(row), row]));
  const moved = (way: Way) => now.rows.filter((row) => wayOf(row, past.get(keyOf(row))) === way);
  const title = (rows: unknown[], words: string) => `${counted(rows.length, noun)} ${words}`;
  const [more, less] = [moved("up"), moved("down")];
  const gained = since.value?.rows.filter((row) => row.since?.state === "gained") ?? [];
  const lost = since.value?.lost ?? [];
  const shares = (row: SourceRow) =>
    `${percent(past.get(keyOf(row))?.share)} → ${percent(row.share)}, ${counted(row.citations, "citation")}`;
  return (
    <section class="card" data-testid="gained-lost">
      <h2>Changes</h2>
      <p class="faint">
        Compared with {dateText(against.from)} – {dateText(against.to)}
      </p>
      {!before && <Skeleton lines={2} />}
      {before?.rows.length === 0 && <p class="faint">No answers in that period</p>}
      {!!before?.rows.length && (
        <>
          {(now.rows.length === most || before.rows.length === most) && (
            <Caution title="Partial comparison.">
              Only the top {number(most)} {noun}s of each period.
            </Caution>
          )}
          <Group title={title(more, "cited more")} sign="▲" rows={more} about={shares} />
          <Group title={title(less, "cited less")} sign="▼" rows={less} about={shares} />
          <Loading of={since} lines={2} />
          {since.value && (
            <>
              <Group
                title={title(gained, "gained")}
                sign="+"
                rows={gained}
                about={(row) => `in ${counted(row.since!.after, "answer")}`}
              />
              <Group
                title={title(lost, "lost")}
                sign="−"
                rows={lost}
                about={(row) => `was in ${counted(row.before, "answer")}`}
              />
            </>
          )}
          <p class="faint">
            More and less mean: beyond normal variation. Gained and lost: in no answer before, and in no answer now.
            Sources with few citations come and go by chance.
          </p>
        </>
      )}
    </section>
  );
}

const firstRows = 6;

type GroupProps<Row> = { title: string; sign: string; rows: Row[]; about: (row: Row) => string };

function Group<Row extends SourceRow | LostSource>({ title, sign, rows, about }: GroupProps<Row>) {
  const [shown, more] = useFirst(rows, firstRows);
  if (!rows.length) return <p class="faint">{title}</p>;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain-list">
        {shown.map((row) => (
          <li key={keyOf(row)}>
            <strong aria-hidden="true">{sign}</strong> <SourceName row={row} /> <SourceType of={row} />{" "}
            <span class="faint">{about(row)}</span>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}
