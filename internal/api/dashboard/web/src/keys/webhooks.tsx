// The webhook secret, and a test of a receiver.
import { useState } from "preact/hooks";
import { ApiError, call } from "../api";
import type { RotatedSecret, WebhookTest } from "earshot";
import { When } from "../time";
import { Button, Confirm, number, Problem, Secret, Spinner, useAction } from "../ui";

export function Rotate() {
  const [asking, setAsking] = useState(false);
  const [rotated, setRotated] = useState<RotatedSecret>();
  const [previousUntil, setPreviousUntil] = useState<string>();
  return (
    <>
      <h3>Webhook secret</h3>
      <p class="faint">
        Signs all webhooks, so that a receiver can verify them. It was shown when the organization was created.
      </p>
      <Button text="Rotate secret…" onClick={() => setAsking(true)} data-testid="rotate" />
      {previousUntil && (
        <p role="status">
          The old secret is valid until <When at={previousUntil} brief />.
        </p>
      )}
      <Confirm
        title="Rotate the webhook secret?"
        action="Rotate"
        open={asking}
        onClose={() => setAsking(false)}
        run={async () => {
          const answer = await call("POST /v1/webhooks/secret/rotate");
          setRotated(answer);
          setPreviousUntil(answer.previousValidUntil);
        }}>
        <p>
          The new secret is shown once. The old secret stays valid for some time, so that you can update your receivers.
          A secret that was rotated before stops working immediately.
        </p>
      </Confirm>
      <Secret title="New webhook secret" secret={rotated?.secret} onClose={() => setRotated(undefined)}>
        <p>
          The old secret is valid until <When at={rotated?.previousValidUntil} brief />.
        </p>
      </Secret>
    </>
  );
}

export function Test() {
  const [url, setUrl] = useState("");
  const [test, setTest] = useState<WebhookTest>();
  const { busy, error, run } = useAction(async () => {
    setTest(undefined);
    setTest((await call("POST /v1/webhooks/test", { body: { url: url.trim() } })).test);
  });
  const wrong = error instanceof ApiError && error.fields.some((problem) => problem.field === "url");
  const submit = (event: Event) => {
    event.preventDefault();
    void run();
  };
  return (
    <form onSubmit={submit} aria-labelledby="test-head">
      <h3 id="test-head">Test a receiver</h3>
      <label>
        URL
        <input
          type="url"
          required
          placeholder="https://"
          value={url}
          onInput={(e) => setUrl(e.currentTarget.value)}
          aria-invalid={wrong}
          aria-describedby="test-problem"
          data-testid="test-url"
        />
      </label>
      <button disabled={busy} data-testid="test-send">
        Send test
      </button>{" "}
      {busy && <Spinner label="Waiting for the receiver" />}
      <div id="test-problem">
        <Problem error={error} />
      </div>
      <div role="status" data-testid="test-result">
        {test && <Outcome {...test} />}
      </div>
    </form>
  );
}

export function Outcome({ delivered, status, error, answer, ms }: WebhookTest) {
  return (
    <p>
      <span class={`badge ${delivered ? "good" : "bad"}`}>{delivered ? "Delivered" : "Not delivered"}</span>{" "}
      {status === null ? error : `Status ${status}`} after {number(ms)} ms
      {answer && <span class="faint block">{answer}</span>}
    </p>
  );
}
