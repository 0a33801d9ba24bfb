// The settings of a tracker: edit, pause and delete it.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call } from "../api";
import { route } from "../state";
import { Button, Confirm, Problem, useAction } from "../ui";
import { proposed } from "./brands/propose";
import { Editor } from "./editor";
import { apiPath, mayTrack, type TabProps } from "./pieces";
import { DemoButton } from "./start";
import { toYAML } from "./yaml";

export function Definition({ tracker, again }: TabProps) {
  const definition = tracker.definition!;
  const { brand = "", add = "" } = route.value.query;
  if (mayTrack() && !tracker.demo)
    return (
      <>
        <Editor
          key={`${brand} ${add}`}
          start={proposed(definition, { brand, add })}
          tracker={tracker}
          onApplied={again}
        />
        <State {...{ tracker, again }} />
      </>
    );
  return (
    <>
      <section class="card" aria-label="Settings">
        <h2>Settings</h2>
        <p class="faint">
          {tracker.demo
            ? "You can't change a demo, but you can copy its settings to a new tracker."
            : "Your key is read-only. Changes need the track permission."}
        </p>
        <pre tabIndex={0} aria-label="Settings as YAML">
          {toYAML(definition)}
        </pre>
      </section>
      {mayTrack() && <State {...{ tracker, again }} />}
      <AsCall path={apiPath(tracker.name)} />
    </>
  );
}

/** Pausing and deleting. */
function State({ tracker, again }: Pick<TabProps, "tracker" | "again">) {
  const [asking, setAsking] = useState(false);
  const params = { name: tracker.name };
  const paused = tracker.state === "paused";
  const { error, run } = useAction(async () => {
    await call("PATCH /v1/trackers/{name}", { params, body: { state: paused ? "active" : "paused" } });
    again();
  });
  const remove = async () => {
    await call("DELETE /v1/trackers/{name}", { params });
    location.hash = "#/trackers";
  };
  return (
    <section class="card" aria-label="Pause or delete">
      <h2>{tracker.demo ? "Delete the demo" : "Pause or delete"}</h2>
      <p class="actions-left">
        {tracker.demo ? (
          <DemoButton />
        ) : (
          <Button text={paused ? "Resume" : "Pause"} onClick={run} data-testid="pause" />
        )}
        <Button text="Delete…" class="danger" onClick={() => setAsking(true)} data-testid="delete-tracker" />
      </p>
      <p class="faint">
        {tracker.demo
          ? "“View a demo” creates the demo again, up to today."
          : paused
            ? "Scheduled sweeps are paused."
            : "Pausing stops scheduled sweeps. A running sweep continues."}
      </p>
      <Problem error={error} />
      <Confirm
        title={`Delete ${tracker.name}?`}
        action="Delete tracker and answers"
        testid="confirm-delete"
        open={asking}
        onClose={() => setAsking(false)}
        run={remove}>
        <p>
          This permanently deletes the tracker with its settings, sweeps and answers. Queued prompts are removed. The
          ledger keeps the charges.
        </p>
      </Confirm>
    </section>
  );
}
