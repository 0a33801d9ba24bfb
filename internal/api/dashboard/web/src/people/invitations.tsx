// The invitations that are open, and the form of a new one.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call } from "../api";
import type { Invitation, NewInvitation, Role } from "earshot";
import { CardTable } from "../table";
import { When } from "../time";
import { Button, Confirm, Loading, Secret, Select, useLoad } from "../ui";
import { Entry, fieldsOf, Form } from "./form";
import { roleChoices, roleNames } from "./words";

export function Invitations() {
  const loaded = useLoad((signal) => call("GET /v1/invitations", { signal }), []);
  const { value, again } = loaded;
  const [role, setRole] = useState("viewer");
  const [made, setMade] = useState<NewInvitation>();
  const [ending, setEnding] = useState<Invitation>();
  const invite = async (form: FormData) => {
    setMade(await call("POST /v1/invitations", { body: { ...fieldsOf(form, "email"), role: role as Role } }));
    again();
  };
  return (
    <>
      <section class="card" aria-label="New invitation">
        <Form text="Invite" class="keys-line" run={invite} data-testid="invite">
          <Entry label="Email" name="email" type="email" autocomplete="off" maxLength={254} />
          <label>
            Role
            <Select value={role} options={roleChoices} onChoose={setRole} />
          </label>
        </Form>
      </section>
      <Loading of={loaded} lines={4} />
      {value && (
        <section class="card" aria-label="Open invitations">
          {value.invitations.length === 0 && <p class="faint">No open invitations</p>}
          {value.invitations.length > 0 && (
            <CardTable
              label="Open invitations"
              testid="invitations"
              rows={value.invitations}
              rowKey={({ id }) => id}
              cells={{
                Email: ({ email }) => email,
                Role: ({ role }) => roleNames[role],
                "Invited by": ({ invitedBy }) => invitedBy,
                Sent: ({ createdAt }) => <When at={createdAt} brief />,
                Expires: ({ expiresAt }) => <When at={expiresAt} brief />,
                Revoke: (one) => (
                  <Button
                    text="Revoke…"
                    class="small danger"
                    aria-label={`Revoke the invitation of ${one.email}`}
                    onClick={() => setEnding(one)}
                  />
                ),
              }}
            />
          )}
        </section>
      )}
      <Secret title="Invitation link" secret={made?.url} onClose={() => setMade(undefined)}>
        <p>
          {made?.mailed ? "It was also mailed to " : "It was not mailed. Send it to "}
          <bdi>{made?.invitation.email}</bdi>
          {". "}
          It works until <When at={made?.invitation.expiresAt} brief />.
        </p>
      </Secret>
      <Confirm
        title={`Revoke the invitation of ${ending?.email}?`}
        action="Revoke"
        open={!!ending}
        onClose={() => setEnding(undefined)}
        run={async () => {
          await call("DELETE /v1/invitations/{id}", { params: { id: ending!.id } });
          again();
        }}>
        <p>Its link stops working.</p>
      </Confirm>
      <AsCall path="/v1/invitations" />
    </>
  );
}
