// The list of keys.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { Key } from "earshot";
import { When } from "../time";
import { type Column, Table } from "../table";
import { Button, Confirm } from "../ui";

function stateOf({ revokedAt, expiresAt }: Key): "Active" | "Expired" | "Revoked" {
  if (revokedAt) return "Revoked";
  return expiresAt && Date.parse(expiresAt) <= Date.now() ? "Expired" : "Active";
}

export function KeyTable({ keys, onChange }: { keys: Key[]; onChange: () => void }) {
  const [ending, setEnding] = useState<Key>();
  const [renamed, setRenamed] = useState<Key>();
  const columns: Column<Key>[] = [
    {
      name: "Key",
      value: (key) => key.name || key.id,
      show: (key) => (
        <>
          {key.name && (
            <strong>
              <bdi>{key.name}</bdi>{" "}
            </strong>
          )}
          <code>{key.id}</code> {key.current && <span class="badge good">This session</span>}{" "}
          {!key.revokedAt && (
            <Button text="Rename…" class="small" aria-label={`Rename ${key.id}`} onClick={() => setRenamed(key)} />
          )}
        </>
      ),
    },
    {
      name: "Permissions",
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
      show: (key) => <span class={`badge ${stateOf(key) === "Active" ? "good" : "bad"}`}>{stateOf(key)}</span>,
    },
    { name: "Created", value: (key) => key.createdAt, show: (key) => <When at={key.createdAt} brief /> },
    {
      name: "Expires",
      value: (key) => key.expiresAt,
      show: (key) => (key.expiresAt ? <When at={key.expiresAt} brief /> : <span class="faint">Never</span>),
    },
    {
      name: "Last used",
      value: (key) => key.lastUsedAt,
      show: (key) => (key.lastUsedAt ? <When at={key.lastUsedAt} brief /> : <span class="faint">Never</span>),
    },
    { name: "Revoke", value: (key) => key.revokedAt, show: (key) => <Revoke of={key} onAsk={setEnding} /> },
  ];
  return (
    <>
      <Table rows={keys} columns={columns} label="Keys" rowKey={(key) => key.id} />
      <Confirm
        title="Rename this key"
        action="Rename"
        look="primary"
        open={!!renamed}
        onClose={() => setRenamed(undefined)}
        run={async () => {
          await call("PATCH /v1/keys/{id}", {
            params: { id: renamed!.id },
            body: { name: renamed!.name },
            ifMatch: renamed!.etag,
          });
          onChange();
        }}>
        <label>
          Name
          <input
            maxLength={100}
            value={renamed?.name}
            onInput={(event) => setRenamed({ ...renamed!, name: event.currentTarget.value })}
            data-testid="new-name"
          />
        </label>
      </Confirm>
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
          Requests with the key <bdi>{ending?.name}</bdi> <code>{ending?.id}</code> will be rejected. This cannot be
          undone.
        </p>
      </Confirm>
    </>
  );
}

function Revoke({ of, onAsk }: { of: Key; onAsk: (key: Key) => void }) {
  if (of.revokedAt) return <When at={of.revokedAt} brief />;
  if (of.current)
    return (
      <span class="faint" title="Sign in with another key to revoke this one">
        In use
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
