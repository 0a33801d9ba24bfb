// Where a tracker sends its alerts and reports, and how sensitive the alerts are.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { Channel, ChannelTest, TrackerDefinition } from "earshot";
import { Outcome } from "../keys/webhooks";
import { channelKinds } from "../notifications/kinds";
import { may } from "../session";
import { addressOf } from "../state";
import { Button, Loading, Problem, useAction, useLoad } from "../ui";
import { mayTrack, type TabProps } from "./pieces";
import { Sensitivity, sensitivities, sensitivityText } from "./sensitivity";

/** Changes a part of a tracker's definition. The rest is what the server has now, not what the page has read. */
export async function changeDefinition(name: string, change: (now: TrackerDefinition) => TrackerDefinition) {
  const params = { name };
  const { definition, etag } = await call("GET /v1/trackers/{name}", { params });
  await call("PUT /v1/trackers/{name}", { params, body: change(definition!), ifMatch: etag });
}

export function Notify({ tracker, again }: Pick<TabProps, "tracker" | "again">) {
  const { name, definition } = tracker;
  const { alerts, reports } = definition!;
  const saved = {
    alerts: alerts?.channels ?? [],
    reports: reports?.channels ?? [],
    alarms: alerts?.falseAlarmsPerYear ?? sensitivities.Normal,
  };
  const [draft, setDraft] = useState(saved);
  const mayChange = mayTrack() && !tracker.demo;
  const loaded = useLoad(
    async (signal) => (mayChange ? (await call("GET /v1/channels", { signal })).channels : []),
    [],
  );
  const [tested, setTested] = useState<ChannelTest[]>([]);
  const save = useAction(async () => {
    await changeDefinition(name, (now) => ({
      ...now,
      alerts: { falseAlarmsPerYear: draft.alarms, channels: draft.alerts },
      ...(now.reports && { reports: { ...now.reports, channels: draft.reports } }),
    }));
    again();
  });
  const test = useAction(async () =>
    setTested((await call("POST /v1/trackers/{name}/alerts/test", { params: { name }, body: {} })).tests),
  );
  const submit = (event: Event) => {
    event.preventDefault();
    void save.run();
  };
  return (
    <section class="card" aria-label="Channels">
      <h2>Notifications</h2>
      <Loading of={loaded} />
      {mayChange && loaded.value && (
        <form onSubmit={submit}>
          <Choice
            label="Send alerts to"
            channels={loaded.value}
            chosen={draft.alerts}
            onChoose={(alerts) => setDraft({ ...draft, alerts })}
          />
          {reports && (
            <Choice
              label="Send reports to (if none is selected, to the channels of alerts)"
              channels={loaded.value}
              chosen={draft.reports}
              onChoose={(reports) => setDraft({ ...draft, reports })}
            />
          )}
          <Sensitivity
            saved={saved.alarms}
            chosen={draft.alarms}
            onChoose={(alarms) => setDraft({ ...draft, alarms })}
          />
          <div class="actions-left">
            <button
              class="primary"
              disabled={save.busy || JSON.stringify(draft) === JSON.stringify(saved)}
              data-testid="save-notify">
              Save
            </button>
            {saved.alerts.length > 0 && <Button text="Send test" disabled={test.busy} onClick={test.run} />}
            {may("admin") && (
              <a class="button" href={addressOf(["notifications"], { new: "1", tracker: name })}>
                New channel
              </a>
            )}
          </div>
        </form>
      )}
      {!mayChange && (
        <p>
          Alerts are sent to {saved.alerts.join(", ") || "no channels"}. Alert sensitivity:{" "}
          {sensitivityText(saved.alarms)}.
        </p>
      )}
      <Problem error={save.error ?? test.error} />
      <div role="status">
        {tested.map((test) => (
          <div key={test.channel}>
            {test.channel} <Outcome {...test} />
          </div>
        ))}
      </div>
    </section>
  );
}

type ChoiceProps = { label: string; channels: Channel[]; chosen: string[]; onChoose: (names: string[]) => void };

/** A checkbox for each channel. */
function Choice({ label, channels, chosen, onChoose }: ChoiceProps) {
  const toggle = (name: string) =>
    onChoose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  return (
    <fieldset class="keys-choices">
      <legend>{label}</legend>
      {channels.length === 0 && <span class="faint">No notification channels yet</span>}
      {channels.map(({ name, kind }) => (
        <label key={name} class="inline">
          <input type="checkbox" value={name} checked={chosen.includes(name)} onChange={() => toggle(name)} />
          {name} <span class="faint">{channelKinds[kind].title}</span>
        </label>
      ))}
    </fieldset>
  );
}
