// A new key.
import { useState } from "preact/hooks";
import { post } from "../api";
import { openAPI, resolve } from "../state";
import { Problem, Spinner, useLoad, When } from "../ui";
import type { Key } from "./table";
import { Secret } from "./secret";

interface Made { key: Key; secret: string }

const dayLength = 86_400_000;
const lives = [["", "never"], ["30", "in 30 days"], ["90", "in 90 days"], ["date", "on a date"]];

/** The end of a key's life as the API takes it; a date means its end where the user is. */
function endOf(life: string, date: string): string | undefined {
  if (!life) return undefined;
  return (life === "date" ? new Date(`${date}T23:59:59`) : new Date(Date.now() + Number(life) * dayLength)).toISOString();
}

/** The scopes that there are and those that a new key has by itself. */
async function scopeChoices() {
  const api = await openAPI();
  const { scopes } = api.components.schemas.KeyRequest.properties;
  return { all: resolve(api, scopes.items).enum as string[], usual: (scopes.default ?? []) as string[] };
}

export function Create({ onMade }: { onMade: () => void }) {
  const choices = useLoad(scopeChoices, []);
  const [chosen, choose] = useState<string[]>();
  const [life, setLife] = useState("");
  const [date, setDate] = useState("");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState<Made>();
  if (!choices.value) return choices.error ? <Problem error={choices.error} /> : <Spinner />;
  const { all, usual } = choices.value;
  const scopes = chosen ?? usual;
  const toggle = (scope: string) => choose(all.filter((one) => scopes.includes(one) !== (one === scope)));
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      setMade(await post<Made>("v1/keys", { scopes, expiresAt: endOf(life, date) }));
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
          <label key={scope} class="inline"><input type="checkbox" name="scope" value={scope} checked={scopes.includes(scope)} onChange={() => toggle(scope)} />{scope}</label>
        ))}
      </fieldset>
      <div class="keys-line">
        <label>Expires
          <select value={life} onChange={(e) => setLife(e.currentTarget.value)} data-testid="expiry">
            {lives.map(([value, label]) => <option key={value} value={value}>{label}</option>)}
          </select>
        </label>
        {life === "date" && (
          <label>Last day<input type="date" required min={new Date().toLocaleDateString("sv")} value={date} onInput={(e) => setDate(e.currentTarget.value)} /></label>
        )}
        <button class="primary" disabled={busy || scopes.length === 0} data-testid="create-key">Create key</button>
      </div>
      {scopes.length === 0 && <p class="wrong">Choose at least one scope.</p>}
      <Problem error={error} />
      <Secret title="Your new key" secret={made?.secret} onClose={() => setMade(undefined)}>
        <p class="faint">It may {made?.key.scopes.join(", ")}. Expires: {made?.key.expiresAt ? <When at={made.key.expiresAt} /> : "never"}.</p>
      </Secret>
    </form>
  );
}
