// The users of the organization.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call } from "../api";
import type { Role, User } from "earshot";
import { CardTable, type Cells } from "../table";
import { When } from "../time";
import { Button, Confirm, Loading, Problem, Select, useAction, useLoad } from "../ui";
import { roleNames } from "./words";

const invited = "invitation";
const roles = Object.entries(roleNames);

export function Users() {
  const loaded = useLoad((signal) => call("GET /v1/users", { signal }), []);
  const { value, again } = loaded;
  const [leaving, setLeaving] = useState<User>();
  const { busy, error, run } = useAction(async (id: string, role: string, ifMatch: string) => {
    await call("PATCH /v1/users/{id}", { params: { id }, body: { role: role as Role }, ifMatch });
    again();
  });
  const cells: Cells<User> = {
    User: ({ email, name, current }) => (
      <>
        <bdi>{name || email}</bdi> {current && <span class="badge good">You</span>}
        {name && (
          <span class="faint block">
            <bdi>{email}</bdi>
          </span>
        )}
      </>
    ),
    Role: ({ id, email, role, sources, current, etag }) =>
      current || !sources.includes(invited) ? (
        <span title={current ? "Another admin can change your role" : "Set by the identity provider"}>
          {roleNames[role]}
        </span>
      ) : (
        <Select
          aria-label={`Role of ${email}`}
          value={role}
          options={roles}
          onChoose={(chosen) => !busy && void run(id, chosen, etag)}
        />
      ),
    Source: ({ sources }) => sources.map((source) => (source === invited ? "Invitation" : source)).join(", "),
    Joined: ({ joinedAt }) => <When at={joinedAt} brief />,
    "Last seen": ({ lastSeenAt }) => (lastSeenAt ? <When at={lastSeenAt} brief /> : <span class="faint">Never</span>),
    Remove: (user) =>
      !user.current && (
        <Button
          text="Remove…"
          class="small danger"
          aria-label={`Remove ${user.email}`}
          onClick={() => setLeaving(user)}
        />
      ),
  };
  return (
    <>
      <Loading of={loaded} lines={4} />
      <Problem error={error} />
      {value && (
        <section class="card" aria-label="Users">
          <CardTable label="Users" testid="users" rows={value.users} rowKey={({ id }) => id} cells={cells} />
          {value.users.length === 0 && (
            <p>
              Nobody yet. <a href="#/people/invitations">Invite people</a> to sign in without an API key.
            </p>
          )}
        </section>
      )}
      <Confirm
        title={`Remove ${leaving?.email}?`}
        action="Remove"
        open={!!leaving}
        onClose={() => setLeaving(undefined)}
        run={async () => {
          await call("DELETE /v1/users/{id}", { params: { id: leaving!.id } });
          again();
        }}>
        <p>
          {leaving?.sources.every((source) => source === invited)
            ? "This ends their sessions. They can only come back with a new invitation."
            : "This ends their sessions. The identity provider may give them a role again when they next sign in."}
        </p>
      </Confirm>
      <AsCall path="/v1/users" />
    </>
  );
}
