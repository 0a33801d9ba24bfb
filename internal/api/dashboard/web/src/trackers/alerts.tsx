// The alerts of a tracker, its notification channels, and its scheduled reports and exports.
import { AsCall } from "../ascall";
import { useState } from "preact/hooks";
import { call } from "../api";
import type { Alert, AlertKind, SentReport, Tracker } from "earshot";
import { route } from "../state";
import { dateText, timeText } from "../time";
import { CardTable } from "../table";
import { Button, Loading, Problem, useAction } from "../ui";
import { Notify } from "./notify";
import { addressOf, answersAddress, periodSince, whyAddress } from "./address";
import { useAlerts } from "./numbers";
import { apiPath, mayTrack, type TabProps } from "./pieces";
import { metrics, percent, plainText } from "./words";

export const alertKinds: Record<AlertKind, string> = {
  shift: "Change",
  recovered: "Recovered",
  source: "Sources",
  ad: "Ads",
  uncited: "No longer cited",
  price: "Price",
  coverage: "Missing answers",
  blocked: "Blocked",
  unreadable: "Layout changed",
  ceiling: "Budget",
  sweep: "Sweep",
};

/** The tab: all alerts, the channels, and the scheduled reports and exports. */
export function Alerts({ tracker, again: readTracker }: TabProps) {
  const loaded = useAlerts(tracker.name, { limit: 100 });
  const { value, again } = loaded;
  return (
    <>
      <section class="card" aria-label="Alerts">
        <h2>Alerts</h2>
        <p class="faint">
          Alerts when a change exceeds normal variation, or when data is missing. An alert is not repeated while it is
          open.
        </p>
        <Loading of={loaded} lines={4} />
        {value && <List tracker={tracker} alerts={value.alerts} again={again} />}
        {value?.nextCursor && <p class="faint">Showing the newest 100 alerts</p>}
      </section>
      <Notify key={tracker.version} tracker={tracker} again={readTracker} />
      <Scheduled tracker={tracker} />
      <AsCall path={apiPath(tracker.name, "/alerts")} query={{ limit: 100 }} />
    </>
  );
}

/** The open alerts, next to the headline of the overview. */
export function OpenAlerts({ tracker }: { tracker: Tracker }) {
  const loaded = useAlerts(tracker.name, { open: true, limit: 3 });
  return (
    <section class="card" aria-label="Open alerts">
      <div class="title-line">
        <h2>Open alerts</h2>
        <a href={addressOf(tracker.name, "alerts")}>All alerts</a>
      </div>
      <Loading of={loaded} lines={4} />
      {loaded.value && <List brief tracker={tracker} alerts={loaded.value.alerts} again={loaded.again} />}
    </section>
  );
}

/** Scrolls to the alert of the address. */
const intoView = (row: HTMLElement | null) => row?.scrollIntoView({ block: "center" });

/** brief leaves out the most affected prompts. */
type ListProps = { tracker: Tracker; alerts: Alert[]; again: () => void; brief?: boolean };

function List({ tracker, alerts, again, brief }: ListProps) {
  const { error, run: acknowledge } = useAction(async (id: string) => {
    await call("POST /v1/trackers/{name}/alerts/{id}/acknowledge", { params: { name: tracker.name, id } });
    again();
  });
  if (alerts.length === 0) return <p class="faint">{brief ? "No open alerts" : "No alerts yet"}</p>;
  return (
    <>
      <Problem error={error} />
      <ul class="alerts" data-testid="alerts">
        {alerts.map((alert) => (
          <li
            key={alert.id}
            class={alert.open ? "open" : undefined}
            {...(alert.id === route.value.query.alert && { "aria-current": true, ref: intoView })}>
            <p>
              <span class="badge">{alertKinds[alert.kind]}</span> {plainText(alert.summary)}
            </p>
            <p class="faint">
              {timeText(alert.raisedAt)}
              {alert.madeUp && " · sample data"}
              {!alert.open && " · acknowledged"}
              {alert.shift && Object.hasOwn(metrics, alert.shift.metric) && (
                <>
                  {" · "}
                  <a href={whyAddress(alert.shift, periodSince(tracker, alert.shift.since))}>Why did it change?</a>
                </>
              )}
              {alert.shift && (
                <>
                  {" · "}
                  <a href={answersAddress(tracker.name, alert.shift.answersBeforeUrl)}>Answers before</a>
                  {" · "}
                  <a href={answersAddress(tracker.name, alert.shift.answersAfterUrl)}>Answers after</a>
                </>
              )}{" "}
              {alert.open && mayTrack() && (
                <Button
                  text="Acknowledge"
                  class="small"
                  aria-label={`Acknowledge: ${plainText(alert.summary)}`}
                  onClick={() => acknowledge(alert.id)}
                />
              )}
            </p>
            {!brief && !!alert.shift?.prompts.length && (
              <details>
                <summary>Most affected prompts</summary>
                <CardTable
                  plain
                  label="Most affected prompts"
                  rows={alert.shift.prompts}
                  rowKey={({ name }) => name}
                  cells={{
                    Prompt: ({ name }) => name,
                    "#Before": ({ from }) => percent(from),
                    "#After": ({ to }) => percent(to),
                  }}
                />
              </details>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const when = (at?: string | null) => (at ? timeText(at) : "never");

/** The scheduled reports and exports. */
function Scheduled({ tracker: { name, reports, exports: files } }: { tracker: Tracker }) {
  const [sent, setSent] = useState<SentReport>();
  const { busy, error, run } = useAction(async () =>
    setSent((await call("POST /v1/trackers/{name}/report", { params: { name }, body: {} })).report),
  );
  const last = sent ?? reports?.last;
  return (
    <section class="card" aria-label="Reports and exports">
      <h2>Reports and exports</h2>
      {!reports && !files && (
        <p>
          No scheduled reports. Add them to the <a href={addressOf(name, "definition")}>settings</a>:{" "}
          <code>{"reports: {every: week, channels: [ops]}"}</code> or <code>{"exports: {tables: [answers]}"}</code>
        </p>
      )}
      {reports && (
        <p>
          Next report: {when(reports.nextAt)}{" "}
          {mayTrack() && <Button text="Send now" class="small" disabled={busy} onClick={run} />}
        </p>
      )}
      <Problem error={error} />
      {last && (
        <p role="status">
          Last report ({dateText(last.from)} – {dateText(last.to)}):{" "}
          {last.deliveries
            ?.map(({ channel, state, error }) => `${channel} ${state}${error ? ` (${error})` : ""}`)
            .join(", ")}
        </p>
      )}
      {files && (
        <p>
          Days waiting for export: {files.daysWaiting}. Last export: {when(files.writtenAt)}.
          {files.error && ` ${files.error}.`}
        </p>
      )}
    </section>
  );
}
