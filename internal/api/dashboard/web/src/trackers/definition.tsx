// The definition of a tracker: edit it, pause it, delete it.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call } from "../api";
import { route } from "../state";
import { Button, Confirm, Problem } from "../ui";
import { proposed } from "./brands/propose";
import { mayTrack } from "./pieces";
import { Editor } from "./editor";
import { DemoButton } from "./start";
import type { TabProps } from "./pieces";
import { toYAML } from "./yaml";

export function Definition({ tracker, again }: TabProps) {
  const definition = tracker.definition!;
  if (!mayTrack() || tracker.demo) {
    return (
      <>
        <section class="card" aria-label="Definition">
          <h2>Definition</h2>
          <p class="faint">
            {tracker.demo ? (
              <>
                The history of a demo is made up, so it can be removed or made anew, but not changed. This is a good
                text to begin with.
              </>
            ) : (
              <>
                Your key may only read; changing it needs the scope <code>track</code>.
              </>
            )}
          </p>
          <pre tabIndex={0} aria-label="Definition as YAML">
            {toYAML(definition)}
          </pre>
        </section>
        {mayTrack() && <State {...{ tracker, again }} />}
        <AsCall path={`/v1/trackers/${encodeURIComponent(tracker.name)}`} />
      </>
    );
  }
  const { brand = "", add = "" } = route.value.query;
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
}

/** Pausing and deleting. */
function State({ tracker, again }: Pick<TabProps, "tracker" | "again">) {
  const [error, setError] = useState<unknown>();
  const [asking, setAsking] = useState(false);
  const params = { name: tracker.name };
  const paused = tracker.state === "paused";
  const turn = () =>
    call("PATCH /v1/trackers/{name}", { params, body: { state: paused ? "active" : "paused" } }).then(() => {
      setError(undefined);
      again();
    }, setError);
  const remove = async () => {
    await call("DELETE /v1/trackers/{name}", { params });
    location.hash = "#/trackers";
  };
  return (
    <section class="card" aria-label="Pause or delete">
      <h2>{tracker.demo ? "Remove the demo" : "Pause or delete"}</h2>
      <p class="actions-left">
        {!tracker.demo && <Button text={paused ? "Resume" : "Pause"} onClick={turn} data-testid="pause" />}
        {tracker.demo && <DemoButton />}
        <Button
          text={tracker.demo ? "Remove the demo…" : "Delete…"}
          class="danger"
          onClick={() => setAsking(true)}
          data-testid="delete-tracker"
        />
      </p>
      <p class="faint">
        {tracker.demo
          ? "“See a demo” makes it anew, up to today."
          : paused
            ? "No sweep starts by the schedule while it is paused."
            : "A pause stops the schedule; a sweep that runs goes on."}
      </p>
      <Problem error={error} />
      <Confirm
        title={`Delete ${tracker.name}?`}
        action="Delete it and its answers"
        testid="confirm-delete"
        open={asking}
        onClose={() => setAsking(false)}
        run={remove}>
        <p>
          Its definition, its sweeps and all its answers are deleted and cannot be had back. What is queued is removed;
          the ledger keeps what it cost.
        </p>
      </Confirm>
    </section>
  );
}
