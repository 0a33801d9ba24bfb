// The page of notification channels.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call } from "../api";
import type { Channel, ChannelTest } from "earshot";
import { Outcome } from "../keys/webhooks";
import { ChannelForm } from "../notifications/form";
import { channelKinds } from "../notifications/kinds";
import { may } from "../session";
import { addressOf, route } from "../state";
import { CardTable, type Cells } from "../table";
import { When } from "../time";
import { Button, Confirm, Empty, Loading, Needs, Problem, useAction, useLoad } from "../ui";
import { changeDefinition } from "../trackers/notify";

/** The address has the channel to change (edit), or a new one (new), and the tracker that it is for. */
export function Notifications() {
  const loaded = useLoad((signal) => call("GET /v1/channels", { signal }), []);
  const { value, again } = loaded;
  const { edit, new: isNew, tracker } = route.value.query;
  const channels = value?.channels ?? [];
  const channel = channels.find(({ name }) => name === edit);
  const isAdmin = may("admin");
  return (
    <div class="tracking">
      {tracker && (
        <p class="back">
          <a href={addressOf(["trackers", tracker, "alerts"])}>← {tracker}</a>
        </p>
      )}
      <div class="tracker-head">
        <h1>Notifications</h1>
        {isAdmin && !isNew && channels.length > 0 && (
          <span class="head-actions">
            <a class="button primary" href={addressOf(["notifications"], { new: "1", tracker })}>
              New channel
            </a>
          </span>
        )}
      </div>
      <Loading of={loaded} lines={4} />
      {value && isAdmin && (isNew || channel) && (
        <ChannelForm
          key={channel?.name}
          channel={channel}
          taken={channels.map(({ name }) => name)}
          onSaved={again}
          next={(name) => <UseFor channel={name} tracker={tracker} />}
        />
      )}
      {value && channels.length === 0 && !isNew && (
        <Empty title="No notification channels yet">
          <p>Alerts and reports of trackers can be sent to Slack, Teams, email and other services.</p>
          {isAdmin && (
            <a class="button primary" href={addressOf(["notifications"], { new: "1", tracker })}>
              New channel
            </a>
          )}
        </Empty>
      )}
      {channels.length > 0 && <Channels channels={channels} again={again} />}
      <Needs scope="admin" what="add, test or change channels">
        {null}
      </Needs>
      <AsCall path="/v1/channels" />
    </div>
  );
}

/** Offers to send the alerts of a tracker to a new channel. */
function UseFor({ channel, tracker }: { channel: string; tracker?: string }) {
  const { busy, error, run } = useAction(async () => {
    await changeDefinition(tracker!, ({ alerts, ...rest }) => ({
      ...rest,
      alerts: { ...alerts, channels: [...new Set([...(alerts?.channels ?? []), channel])] },
    }));
    location.hash = addressOf(["trackers", tracker!, "alerts"]);
  });
  if (!tracker)
    return (
      <p>
        Choose this channel on the Alerts tab of a <a href="#/trackers">tracker</a>.
      </p>
    );
  return (
    <>
      <Button text={`Use for alerts of ${tracker}`} class="primary" disabled={busy} onClick={run} />
      <Problem error={error} />
    </>
  );
}

function Channels({ channels, again }: { channels: Channel[]; again: () => void }) {
  const [ending, setEnding] = useState<string>();
  const cells: Cells<Channel> = {
    Name: ({ name }) => name,
    Kind: ({ kind }) => channelKinds[kind].title,
    Receiver: ({ receiver }) => receiver,
    Changed: ({ updatedAt }) => <When at={updatedAt} brief />,
  };
  if (may("admin")) cells.Actions = ({ name }) => <Actions name={name} onDelete={() => setEnding(name)} />;
  return (
    <section class="card" aria-label="Channels">
      <CardTable label="Channels" testid="channels" rows={channels} rowKey={({ name }) => name} cells={cells} />
      <Confirm
        title={`Delete ${ending}?`}
        action="Delete"
        open={!!ending}
        onClose={() => setEnding(undefined)}
        run={async () => {
          await call("DELETE /v1/channels/{name}", { params: { name: ending! } });
          again();
        }}>
        <p>Messages that are waiting for this channel are not sent.</p>
      </Confirm>
    </section>
  );
}

function Actions({ name, onDelete }: { name: string; onDelete: () => void }) {
  const [test, setTest] = useState<ChannelTest>();
  const { busy, error, run } = useAction(async () =>
    setTest((await call("POST /v1/channels/{name}/test", { params: { name } })).test),
  );
  return (
    <>
      <Button text="Send test" class="small" disabled={busy} aria-label={`Send test to ${name}`} onClick={run} />{" "}
      <a class="button small" href={addressOf(["notifications"], { edit: name })} aria-label={`Change ${name}`}>
        Change
      </a>{" "}
      <Button text="Delete…" class="small danger" aria-label={`Delete ${name}`} onClick={onDelete} />
      <Problem error={error} />
      <div role="status">{test && !busy && <Outcome {...test} />}</div>
    </>
  );
}
