// The form of a notification channel, which saves and tests it.
import { useState } from "preact/hooks";
import { ApiError, call } from "../api";
import type { Channel, ChannelKind, ChannelTest } from "earshot";
import { Outcome } from "../keys/webhooks";
import { Field, Problems } from "../trackers/form";
import { Button, Problem, Spinner, useAction } from "../ui";
import { channelKinds, channelRequest, freeName } from "./kinds";

interface FormProps {
  /** The channel that is changed; undefined for a new one. */
  channel?: Channel;
  taken: string[];
  onSaved: () => void;
  /** What to do with a channel after its test. */
  next: (name: string) => preact.ComponentChildren;
}

export function ChannelForm({ channel, taken, onSaved, next }: FormProps) {
  const [kind, setKind] = useState<ChannelKind>(channel?.kind ?? "slack");
  const [typed, setTyped] = useState<string>();
  const [values, setValues] = useState<Record<string, string>>({});
  const [test, setTest] = useState<ChannelTest>();
  const name = channel?.name ?? test?.channel ?? typed?.trim() ?? freeName(kind, taken);
  const isTaken = !channel && !test && taken.includes(name);
  const { busy, error, run } = useAction(async () => {
    const params = { name };
    await call("PUT /v1/channels/{name}", {
      params,
      body: channelRequest(kind, values),
      ifMatch: test ? undefined : channel?.etag,
    });
    setTest((await call("POST /v1/channels/{name}/test", { params })).test);
    onSaved();
  });
  const problems = error instanceof ApiError ? error.fields : [];
  const wrong = (field: string) =>
    problems.filter((p) => p.field.replace(/\[\d+\]$/, "") === field).map(({ message }) => message);
  const shown = ["name", "kind", ...channelKinds[kind].fields.map((field) => field.name)];
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isTaken) void run();
  };
  return (
    <form class="card" onSubmit={submit} aria-label={channel ? `Change ${channel.name}` : "New channel"}>
      <h2>{channel ? `Change ${channel.name}` : "New channel"}</h2>
      <div class="segments field" role="group" aria-label="Kind">
        {Object.entries(channelKinds).map(([one, { title }]) => (
          <Button key={one} text={title} aria-pressed={one === kind} onClick={() => setKind(one as ChannelKind)} />
        ))}
      </div>
      <Problems of={wrong("kind")} />
      <p>{channelKinds[kind].steps}</p>
      {!channel && (
        <Field label="Name" about="Lowercase letters, digits, - and _" wrong={wrong("name")}>
          <input
            name="name"
            required
            value={name}
            disabled={!!test}
            aria-invalid={isTaken || wrong("name").length > 0}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          {isTaken && <span class="wrong">There is already a channel {name}</span>}
        </Field>
      )}
      {channelKinds[kind].fields.map((field) => (
        <Field
          key={field.name}
          label={field.label}
          about={field.optional ? "Optional" : undefined}
          wrong={wrong(field.name)}>
          <input
            name={field.name}
            required={!field.optional}
            autocomplete="off"
            spellcheck={false}
            placeholder={field.placeholder}
            value={values[field.name] ?? ""}
            aria-invalid={wrong(field.name).length > 0}
            onInput={(event) => setValues({ ...values, [field.name]: event.currentTarget.value })}
          />
        </Field>
      ))}
      {channel && <p class="faint">Enter the settings again: they are secret, so they are never shown.</p>}
      <div class="actions-left">
        <button class="primary" disabled={busy || isTaken} data-testid="save-channel">
          Save and test
        </button>
        <a class="button" href="#/notifications">
          {test ? "Close" : "Cancel"}
        </a>
        {busy && <Spinner label="Waiting for the receiver" />}
      </div>
      {!problems.some(({ field }) => shown.includes(field.replace(/\[\d+\]$/, ""))) && <Problem error={error} />}
      <p class="hidden-words" role="alert">
        {problems.map(({ message }) => message).join(". ")}
      </p>
      <div role="status" data-testid="channel-test">
        {test && !busy && !error && (
          <>
            <p>Saved. A test message was sent:</p>
            <Outcome {...test} />
            {next(test.channel)}
          </>
        )}
      </div>
    </form>
  );
}
