// The secret that signs webhooks, and a way to try a receiver out.
import { useState } from "preact/hooks";
import { ApiError, call } from "../api";
import type { RotatedSecret, WebhookTest } from "../api.gen";
import { Button, Confirm, number, Problem, Secret, Spinner, When } from "../ui";

export function Rotate() {
  const [asking, setAsking] = useState(false);
  const [rotated, setRotated] = useState<RotatedSecret>();
  const [previousUntil, setPreviousUntil] = useState<string>();
  return (
    <>
      <h3>Webhook secret</h3>
      <p class="faint">
        Webhooks are signed with it, so that a receiver knows that they come from here. It was shown when the
        organization was made.
      </p>
      <Button text="Rotate the secret…" onClick={() => setAsking(true)} data-testid="rotate" />
      {previousUntil && (
        <p role="status">
          The secret before is valid until <When at={previousUntil} />.
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
          A new secret is made and shown once. For a while webhooks carry a signature of the old one too, so that
          receivers can change over; a secret older than that ends at once.
        </p>
      </Confirm>
      <Secret title="The new webhook secret" secret={rotated?.secret} onClose={() => setRotated(undefined)}>
        <p>
          The old one is valid until <When at={rotated?.previousValidUntil} />.
        </p>
      </Secret>
    </>
  );
}

export function Test() {
  const [url, setUrl] = useState("");
  const [busy, setBusy] = useState(false);
  const [test, setTest] = useState<WebhookTest>();
  const [error, setError] = useState<unknown>();
  const wrong = error instanceof ApiError && error.fields.some((problem) => problem.field === "url");
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setTest(undefined);
    setError(undefined);
    try {
      setTest((await call("POST /v1/webhooks/test", { body: { url: url.trim() } })).test);
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={submit} aria-labelledby="test-head">
      <h3 id="test-head">Test delivery</h3>
      <label>
        Receiver
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
        Send a signed test
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

function Outcome({ delivered, status, error, ms }: WebhookTest) {
  return (
    <p>
      <span class={`badge ${delivered ? "good" : "bad"}`}>{delivered ? "delivered" : "not delivered"}</span>{" "}
      {status === null ? `No answer: ${error}` : `The receiver answered ${status}`} after {number(ms)} ms.
    </p>
  );
}
