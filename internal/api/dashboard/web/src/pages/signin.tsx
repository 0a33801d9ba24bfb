import { useState } from "preact/hooks";
import { signedOutBecause } from "../session";
import { signIn } from "../state";
import { Problem } from "../ui";

/** Asks for a key. */
export function SignIn() {
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn({ key: text.trim() });
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>Earshot</h1>
      <p>Ask AI assistants and search engines a question, from a country you choose, and get the answer as data.</p>
      {signedOutBecause.value && <p class="notice">You were signed out: {signedOutBecause.value}</p>}
      <label>
        API key
        <input
          name="key"
          type="password"
          autocomplete="off"
          placeholder="ear_live_…"
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          required
        />
      </label>
      <Problem error={error} />
      <button class="primary" disabled={busy}>
        Sign in
      </button>
      <p class="faint">
        The server printed a key when it first started, and prints a link that signs in with every start.{" "}
        <code>earshot key create --org NAME</code> makes another key.
      </p>
    </form>
  );
}
