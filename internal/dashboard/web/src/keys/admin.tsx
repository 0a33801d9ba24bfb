import { signOut } from "../state";

/** What to do where the key may not look. */
export function NeedsAdmin({ what }: { what: string }) {
  return (
    <div class="empty keys-admin" data-testid="needs-admin">
      <h3>{what} needs a key with the scope <code>admin</code></h3>
      <p>Yours does not have it. There are two ways to get one:</p>
      <ul>
        <li>Open the sign-in link that the server prints when it starts.</li>
        <li>Make a key at the server, and sign in with it: <code>earshot key create --org NAME --scopes read,monitor,tasks,admin</code></li>
      </ul>
      <button type="button" onClick={() => signOut()}>Sign in with another key</button>
    </div>
  );
}
