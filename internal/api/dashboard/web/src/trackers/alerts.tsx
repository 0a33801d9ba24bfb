// Alerts of a tracker: what a person should look at, and what was told before.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call, patiently } from "../api";
import type { Alert, AlertKind, AlertTestResult, SentReport, Tracker } from "../api.gen";
import { Button, Heads, Problem, useLoad } from "../ui";
import { addressOf, answersAddress } from "./address";
import { Failed, mayTrack, Skeleton } from "./pieces";
import type { TabProps } from "./pieces";
import { percent } from "./words";

const kinds: Record<AlertKind, string> = {
  shift: "moved",
  source: "sources",
  coverage: "coverage",
  blocked: "blocked",
  unreadable: "unreadable",
  ceiling: "ceiling",
  sweep: "sweep",
};

function useAlerts(name: string, query: { open?: boolean; limit: number }) {
  return useLoad(
    (signal) => patiently(() => call("GET /v1/trackers/{name}/alerts", { params: { name }, query, signal }), signal),
    [name, JSON.stringify(query)],
  );
}

/** The tab: all alerts, and whether the channels work. */
export function Alerts({ tracker }: TabProps) {
  const { value, error, again } = useAlerts(tracker.name, { limit: 100 });
  const channels = tracker.definition?.alerts?.channels ?? [];
  return (
    <>
      <section class="card" aria-label="Alerts">
        <h2>Alerts</h2>
        <p class="faint">
          Told once, when something moved beyond what asking twice would show, or when numbers cannot be trusted. As
          long as one is open, the same is not told again.
        </p>
        <Failed error={error} again={again} stale={!!value} />
        {!value && !error && <Skeleton label="Loading the alerts" />}
        {value && <List tracker={tracker.name} alerts={value.alerts} again={again} />}
        {value?.nextCursor && <p class="faint">These are the newest 100.</p>}
      </section>
      <Channels tracker={tracker.name} channels={channels} />
      <Scheduled tracker={tracker} />
      <AsCall path={`/v1/trackers/${encodeURIComponent(tracker.name)}/alerts`} query={{ limit: 100 }} />
    </>
  );
}

/** Those that nobody has seen, beside the headline. */
export function OpenAlerts({ tracker }: { tracker: string }) {
  const { value, error, again } = useAlerts(tracker, { open: true, limit: 3 });
  return (
    <section class="card" aria-label="Open alerts">
      <div class="title-line">
        <h2>Open alerts</h2>
        <a href={addressOf(tracker, "alerts")}>All alerts</a>
      </div>
      <Failed error={error} again={again} />
      {!value && !error && <Skeleton label="Loading the alerts" />}
      {value?.alerts.length === 0 && <p class="faint">None is open.</p>}
      {!!value?.alerts.length && <List brief tracker={tracker} alerts={value.alerts} again={again} />}
    </section>
  );
}

interface ListProps {
  tracker: string;
  alerts: Alert[];
  again: () => void;
  /** Without what carries them. */
  brief?: boolean;
}

function List({ tracker, alerts, again, brief }: ListProps) {
  const [error, setError] = useState<unknown>();
  if (alerts.length === 0) return <p>Nothing so far.</p>;
  const seen = (id: string) =>
    call("POST /v1/trackers/{name}/alerts/{id}/acknowledge", { params: { name: tracker, id } }).then(again, setError);
  return (
    <>
      <Problem error={error} />
      <ul class="alerts" data-testid="alerts">
        {alerts.map((alert) => (
          <li key={alert.id} class={alert.open ? "open" : undefined}>
            <p>
              <span class="badge">{kinds[alert.kind]}</span> {alert.summary}
            </p>
            <p class="faint">
              {new Date(alert.raisedAt).toLocaleString()}
              {alert.madeUp && " · made up"}
              {!alert.open && " · seen"}
              {alert.shift && (
                <>
                  {" "}
                  · <a href={answersAddress(tracker, alert.shift.answersBeforeUrl)}>Answers before</a> ·{" "}
                  <a href={answersAddress(tracker, alert.shift.answersAfterUrl)}>and since</a>
                </>
              )}
              {alert.open && mayTrack() && (
                <>
                  {" "}
                  <Button
                    text="I have seen it"
                    class="small"
                    aria-label={`I have seen it: ${alert.summary}`}
                    onClick={() => seen(alert.id)}
                  />
                </>
              )}
            </p>
            {!brief && !!alert.shift?.prompts.length && (
              <details>
                <summary>Questions that carry it</summary>
                <table>
                  <Heads names={["Question", "#Before", "#Since"]} />
                  <tbody>
                    {alert.shift.prompts.map(({ name, from, to }) => (
                      <tr key={name}>
                        <th scope="row">{name}</th>
                        <td class="number">{percent(from)}</td>
                        <td class="number">{percent(to)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </details>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Where alerts are sent, with a way to try it. */
function Channels({ tracker, channels }: { tracker: string; channels: string[] }) {
  const [result, setResult] = useState<AlertTestResult>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const test = () => {
    setBusy(true);
    call("POST /v1/trackers/{name}/alerts/test", { params: { name: tracker }, body: {} })
      .then((told) => {
        setResult(told);
        setError(undefined);
      }, setError)
      .finally(() => setBusy(false));
  };
  return (
    <section class="card" aria-label="Channels">
      <h2>Channels</h2>
      {channels.length === 0 && (
        <p>
          Alerts are listed here and sent nowhere. Channels belong to the organization (<code>earshot channel</code>),
          and the definition names those to use:{" "}
          <code>
            alerts: {"{"}channels: [ops]{"}"}
          </code>
          .
        </p>
      )}
      {channels.length > 0 && (
        <p>
          Alerts are sent to {channels.join(", ")}.{" "}
          {mayTrack() && <Button text="Send a test" class="small" disabled={busy} onClick={test} />}
        </p>
      )}
      <Problem error={error} />
      {result && (
        <ul role="status">
          {result.tests.map(({ channel, delivered, status, error }) => (
            <li key={channel}>
              {channel}: {delivered ? "delivered" : `not delivered, ${error ?? `status ${status}`}`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const when = (at?: string | null) => (at ? new Date(at).toLocaleString() : "never");

/** What leaves by itself: reports and files. */
function Scheduled({ tracker: { name, reports, exports: files } }: { tracker: Tracker }) {
  const [sent, setSent] = useState<SentReport>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const last = sent ?? reports?.last;
  const send = () => {
    setBusy(true);
    call("POST /v1/trackers/{name}/report", { params: { name }, body: {} })
      .then(({ report }) => {
        setSent(report);
        setError(undefined);
      }, setError)
      .finally(() => setBusy(false));
  };
  return (
    <section class="card" aria-label="Reports and exports">
      <h2>Reports and exports</h2>
      {!reports && !files && (
        <p>
          None leaves by itself. The definition asks for it:{" "}
          <code>
            reports: {"{"}every: week, channels: [ops]{"}"}
          </code>
          ,{" "}
          <code>
            exports: {"{"}tables: [answers]{"}"}
          </code>
          .
        </p>
      )}
      {reports && (
        <p>
          Next report: {when(reports.nextAt)}.{" "}
          {mayTrack() && <Button text="Send one now" class="small" disabled={busy} onClick={send} />}
        </p>
      )}
      <Problem error={error} />
      {last && (
        <p role="status">
          Last report, of {last.from} to {last.to}:{" "}
          {last.deliveries
            ?.map(({ channel, state, error }) => `${channel} ${state}${error ? `, ${error}` : ""}`)
            .join("; ")}
          .
        </p>
      )}
      {files && (
        <p>
          Days to be exported: {files.daysWaiting}. Last written: {when(files.writtenAt)}.
          {files.error && ` ${files.error}.`}
        </p>
      )}
    </section>
  );
}
