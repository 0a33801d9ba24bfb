// The organization's keys.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { Key } from "../api.gen";
import { Button, type Column, Confirm, Table, When } from "../ui";

function stateOf({ revokedAt, expiresAt }: Key): "valid" | "expired" | "revoked" {
  if (revokedAt) return "revoked";
  return expiresAt && Date.parse(expiresAt) <= Date.now() ? "expired" : "valid";
}

export function KeyTable({ keys, onChange }: { keys: Key[]; onChange: () => void }) {
  const [ending, setEnding] = useState<Key>();
  const columns: Column<Key>[] = [
    {
      name: "Key",
      value: (key) => key.id,
      show: (key) => (
        <>
          <code>{key.id}</code> {key.current && <span class="badge good">this session</span>}
        </>
      ),
    },
    {
      name: "Scopes",
      value: (key) => key.scopes.join(" "),
      show: (key) => (
        <div class="keys-scopes">
          {key.scopes.map((scope) => (
            <span key={scope} class="badge">
              {scope}
            </span>
          ))}
        </div>
      ),
    },
    {
      name: "State",
      value: stateOf,
      show: (key) => <span class={`badge ${stateOf(key) === "valid" ? "good" : "bad"}`}>{stateOf(key)}</span>,
    },
    { name: "Created", value: (key) => key.createdAt, show: (key) => <When at={key.createdAt} /> },
    {
      name: "Expires",
      value: (key) => key.expiresAt,
      show: (key) => (key.expiresAt ? <When at={key.expiresAt} /> : <span class="faint">never</span>),
    },
    {
      name: "Last used",
      value: (key) => key.lastUsedAt,
      show: (key) => (key.lastUsedAt ? <When at={key.lastUsedAt} /> : <span class="faint">never</span>),
    },
    { name: "Revoke", value: (key) => key.revokedAt, show: (key) => <Revoke of={key} onAsk={setEnding} /> },
  ];
  return (
    <>
      <Table rows={keys} columns={columns} label="Keys" rowKey={(key) => key.id} />
      <Confirm
        title="Revoke this key?"
        action="Revoke"
        open={!!ending}
        onClose={() => setEnding(undefined)}
        run={async () => {
          await call("DELETE /v1/keys/{id}", { params: { id: ending!.id } });
          onChange();
        }}>
        <p>
          Whoever uses <code>{ending?.id}</code> is refused from now on. This cannot be undone.
        </p>
      </Confirm>
    </>
  );
}

function Revoke({ of, onAsk }: { of: Key; onAsk: (key: Key) => void }) {
  if (of.revokedAt) return <When at={of.revokedAt} />;
  if (of.current)
    return (
      <span class="faint" title="Sign in with another key to revoke this one">
        in use here
      </span>
    );
  return (
    <Button
      text="Revoke"
      class="small danger"
      aria-label={`Revoke ${of.id}`}
      onClick={() => onAsk(of)}
      data-testid="revoke"
    />
  );
}
