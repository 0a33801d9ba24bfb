// The browsers that are signed in: your own, or of all users for an admin.
import { AsCall } from "../ascall";
import { call } from "../api";
import type { BrowserSession } from "earshot";
import { session } from "../session";
import { CardTable, type Cells } from "../table";
import { When } from "../time";
import { Button, Loading, Problem, useAction, useLoad } from "../ui";
import { browserName } from "./words";

export function Sessions() {
  const loaded = useLoad((signal) => call("GET /v1/sessions", { signal }), []);
  const { value, again } = loaded;
  const { busy, error, run } = useAction(async (ending: BrowserSession[]) => {
    for (const { id } of ending) await call("DELETE /v1/sessions/{id}", { params: { id } });
    again();
  });
  const sessions = value?.sessions ?? [];
  const mine = session.value?.user?.id;
  const others = sessions.filter(({ userId, current }) => userId === mine && !current);
  const cells: Cells<BrowserSession> = {
    Browser: ({ browser, current }) => (
      <span title={browser}>
        {browserName(browser)} {current && <span class="badge good">This browser</span>}
      </span>
    ),
    User: ({ email }) => email,
    Address: ({ address }) => address,
    "Signed in with": ({ via }) => (via === "password" ? "Password" : via),
    "Signed in": ({ createdAt }) => <When at={createdAt} brief />,
    "Last seen": ({ lastSeenAt }) => <When at={lastSeenAt} brief />,
    End: (one) =>
      !one.current && (
        <Button
          text="End"
          class="small danger"
          disabled={busy}
          aria-label={`End ${browserName(one.browser)} of ${one.email}`}
          onClick={() => run([one])}
        />
      ),
  };
  return (
    <>
      <Loading of={loaded} lines={4} />
      <Problem error={error} />
      {value && (
        <section class="card" aria-label="Sessions">
          {others.length > 0 && (
            <p>
              <Button text="End all your other sessions" disabled={busy} onClick={() => run(others)} />
            </p>
          )}
          {sessions.length === 0 && <p class="faint">Nobody is signed in with a user account</p>}
          {sessions.length > 0 && (
            <CardTable label="Sessions" testid="sessions" rows={sessions} rowKey={({ id }) => id} cells={cells} />
          )}
        </section>
      )}
      <AsCall path="/v1/sessions" />
    </>
  );
}
