import { useState } from "preact/hooks";
import { signedOutBecause } from "../session";
import { signIn } from "../state";
import { Problem, useAction } from "../ui";

/** The sign-in form. */
export function SignIn() {
  const [text, setText] = useState("");
  const { busy, error, run } = useAction(() => signIn({ key: text.trim() }));
  const submit = (event: Event) => {
    event.preventDefault();
    void run();
  };
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>Earshot</h1>
      <p>See what AI assistants and search engines answer, in any country.</p>
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
        The server prints a key and a sign-in link when it starts. Create another key with{" "}
        <code>earshot key create --org NAME</code>.
      </p>
    </form>
  );
}
