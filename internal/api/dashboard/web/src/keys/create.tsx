// A new key.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { Key, NewKey } from "../api.gen";
import { openAPI } from "../openapi";
import { Problem, Secret, Spinner, useLoad, When } from "../ui";

type Scope = Key["scopes"][number];

const dayLength = 86_400_000;
const lives = [
  ["", "never"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["date", "on a date"],
];

/** The end of a key's life as the API takes it; a date means its end where the user is. */
function endOf(life: string, date: string): string | undefined {
  if (!life) return undefined;
  return (
    life === "date" ? new Date(`${date}T23:59:59`) : new Date(Date.now() + Number(life) * dayLength)
  ).toISOString();
}

/** The scopes that there are. A key has all of them but `admin`, unless others are asked for. */
async function scopeChoices() {
  const all = ((await openAPI()).components.schemas.KeyRequest.properties?.scopes.items?.enum ?? []) as Scope[];
  return { all, initial: all.filter((scope) => scope !== "admin") };
}

export function Create({ onMade }: { onMade: () => void }) {
  const choices = useLoad(scopeChoices, []);
  const [chosen, choose] = useState<Scope[]>();
  const [life, setLife] = useState("");
  const [date, setDate] = useState("");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState<NewKey>();
  if (!choices.value) return choices.error ? <Problem error={choices.error} /> : <Spinner />;
  const { all, initial } = choices.value;
  const scopes = chosen ?? initial;
  const toggle = (scope: Scope) => choose(all.filter((one) => scopes.includes(one) !== (one === scope)));
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      setMade(await call("POST /v1/keys", { body: { scopes, expiresAt: endOf(life, date) } }));
      setError(undefined);
      onMade();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={submit} aria-labelledby="create-head">
      <h3 id="create-head">New key</h3>
      <fieldset class="keys-choices">
        <legend>Scopes</legend>
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
          Expires
          <select value={life} onChange={(e) => setLife(e.currentTarget.value)} data-testid="expiry">
            {lives.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {life === "date" && (
          <label>
            Last day
            <input
              type="date"
              required
              min={new Date().toLocaleDateString("sv")}
              value={date}
              onInput={(e) => setDate(e.currentTarget.value)}
            />
          </label>
        )}
        <button class="primary" disabled={busy || scopes.length === 0} data-testid="create-key">
          Create key
        </button>
      </div>
      {scopes.length === 0 && <p class="wrong">Choose at least one scope.</p>}
      <Problem error={error} />
      <Secret title="Your new key" secret={made?.secret} onClose={() => setMade(undefined)}>
        <p class="faint">
          It may {made?.key.scopes.join(", ")}. Expires:{" "}
          {made?.key.expiresAt ? <When at={made.key.expiresAt} /> : "never"}.
        </p>
      </Secret>
    </form>
  );
}
