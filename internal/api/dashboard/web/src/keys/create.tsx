// The form of a new key.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { KeyRequest, NewKey } from "earshot";
import { openAPI } from "../openapi";
import { Expiry, expiryOf } from "../expiry";
import { When } from "../time";
import { Problem, Secret, Spinner, useAction, useLoad } from "../ui";

type Scope = NonNullable<KeyRequest["scopes"]>[number];

/** Returns all scopes. By default, a key has all of them except admin. */
async function scopeChoices() {
  const all = ((await openAPI()).components.schemas.KeyRequest.properties?.scopes.items?.enum ?? []) as Scope[];
  return { all, initial: all.filter((scope) => scope !== "admin") };
}

export function Create({ onMade }: { onMade: () => void }) {
  const choices = useLoad(scopeChoices, []);
  const [chosen, choose] = useState<Scope[]>();
  const [name, setName] = useState("");
  const [made, setMade] = useState<NewKey>();
  const { busy, error, run } = useAction(async (scopes: Scope[], expiresAt?: string) => {
    setMade(await call("POST /v1/keys", { body: { name: name || undefined, scopes, expiresAt } }));
    setName("");
    onMade();
  });
  if (!choices.value) return choices.error ? <Problem error={choices.error} /> : <Spinner />;
  const { all, initial } = choices.value;
  const scopes = chosen ?? initial;
  const toggle = (scope: Scope) => choose(all.filter((one) => scopes.includes(one) !== (one === scope)));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void run(scopes, expiryOf(new FormData(event.currentTarget as HTMLFormElement)));
  };
  return (
    <form onSubmit={submit} aria-labelledby="create-head">
      <h3 id="create-head">New key</h3>
      <fieldset class="keys-choices">
        <legend>Permissions</legend>
        {all.map((scope) => (
          <label key={scope} class="inline">
            <input
              type="checkbox"
              name="scope"
              value={scope}
              checked={scopes.includes(scope)}
              onChange={() => toggle(scope)}
            />
            {scope}
          </label>
        ))}
      </fieldset>
      <div class="keys-line">
        <label>
          Name
          <input
            maxLength={100}
            placeholder="Such as laptop or report"
            value={name}
            onInput={(e) => setName(e.currentTarget.value)}
            data-testid="key-name"
          />
        </label>
        <Expiry days={[30, 90]} orNever />
        <button class="primary" disabled={busy || scopes.length === 0} data-testid="create-key">
          Create key
        </button>
      </div>
      {scopes.length === 0 && <p class="wrong">Choose at least one permission.</p>}
      <Problem error={error} />
      <Secret title="New key" secret={made?.secret} onClose={() => setMade(undefined)}>
        <p class="faint">
          {made?.key.name && `Name: ${made.key.name}. `}Permissions: {made?.key.scopes.join(", ")}. Expires:{" "}
          {made?.key.expiresAt ? <When at={made.key.expiresAt} brief /> : "never"}
        </p>
      </Secret>
    </form>
  );
}
