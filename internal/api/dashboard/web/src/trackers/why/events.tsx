// What else happened in the two periods: breaks, alerts, and sweeps that did not run.
import type { AlertPage, CompareReport, Tracker } from "earshot";
import { targetLabel } from "../../names";
import { dateText, timeText } from "../../time";
import { CardTable } from "../../table";
import { Loading, useLoad, type Fetched } from "../../ui";
import { addressOf } from "../address";
import { alertKinds } from "../alerts";
import { dayOf, sweepsWithin } from "../numbers";
import { plainText } from "../words";

/** The kinds of breaks, by the names of the API. */
const breakKinds: Record<string, string> = {
  model: "Model",
  surface: "Surface",
  via: "Vendor",
  panel: "Matching rules",
  promptSet: "Prompts",
  locale: "Target",
  parser: "Parser",
  parserHealth: "Layout changed",
  blocked: "Blocked",
};

type EventsProps = { tracker: Tracker; compared: CompareReport; alerts: Fetched<AlertPage> };

export function Events({ tracker, compared: { baseline, period, breaks }, alerts }: EventsProps) {
  const span = { from: baseline.from, to: period.to };
  const sweeps = useLoad((signal) => sweepsWithin(tracker.name, span, signal), [tracker, span.from, span.to]);
  const events = [
    ...breaks.map(({ at, kind, target, reason }) => ({
      at,
      kind: Object.hasOwn(breakKinds, kind) ? breakKinds[kind] : kind,
      text: `${target ? `${targetLabel(target)}: ` : ""}${plainText(reason)}`,
    })),
    ...(alerts.value?.alerts ?? [])
      // Sweeps that did not run are listed below.
      .filter(({ kind }) => kind !== "sweep")
      .filter(({ raisedAt }) => raisedAt.slice(0, 10) >= span.from && raisedAt.slice(0, 10) <= span.to)
      .map(({ raisedAt, kind, summary }) => ({ at: raisedAt, kind: alertKinds[kind], text: plainText(summary) })),
    ...(sweeps.value ?? [])
      .filter(({ state }) => state !== "closed")
      .map((sweep) => ({
        at: sweep.dueAt,
        kind: "Sweep",
        text: `The sweep of ${dateText(dayOf(sweep))} was ${sweep.state}${sweep.reason ? ` (${sweep.reason})` : ""}`,
      })),
  ].sort((a, b) => a.at.localeCompare(b.at));
  return (
    <section class="card" aria-label="Breaks and events" data-testid="events">
      <div class="title-line">
        <h2>Breaks and events</h2>
        <a href={addressOf(tracker.name, "sweeps")}>All sweeps</a>
      </div>
      <Loading of={sweeps} lines={3} />
      <Loading of={alerts} lines={2} />
      {sweeps.value && alerts.value && !events.length && <p class="faint">None in these periods</p>}
      {events.length > 0 && (
        <>
          <p class="faint">These can cause changes that are not real.</p>
          <CardTable
            label="Breaks and events"
            rows={events}
            rowKey={({ at, text }) => at + text}
            cells={{
              Time: ({ at }) => timeText(at),
              Kind: ({ kind }) => <span class="badge">{kind}</span>,
              Event: ({ text }) => text,
            }}
          />
        </>
      )}
    </section>
  );
}
