// A picker of a few countries by their names.
import { useId, useState } from "preact/hooks";
import { countryName } from "../state";
import { maxCountries } from "./run";

type CountriesProps = { all: string[]; chosen: string[]; choose: (codes: string[]) => void };

export function Countries({ all, chosen, choose }: CountriesProps) {
  const [text, setText] = useState("");
  const list = useId();
  const full = chosen.length >= maxCountries;
  const left = all
    .filter((code) => !chosen.includes(code))
    .map((code) => ({ code, name: countryName(code) }))
    .sort((a, b) => a.name.localeCompare(b.name));
  const add = (code: string | undefined) => {
    if (!code || full) return;
    choose([...chosen, code]);
    setText("");
  };
  const named = (typed: string) => left.find(({ code, name }) => [name, code].some((word) => same(word, typed)))?.code;
  const type = (typed: string) => {
    setText(typed);
    // Choosing from the list puts a whole name into the field at once. A code of two
    // letters waits for Enter, as it may be the start of a name.
    if (typed.length > 2) add(left.find(({ name }) => name === typed)?.code);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add(named(text) ?? left.find(({ name }) => text && name.toLowerCase().startsWith(text.toLowerCase()))?.code);
  };
  return (
    <div class="field">
      <label for={`${list}-input`}>
        Countries <span class="faint">up to {maxCountries}</span>
      </label>
      <input
        id={`${list}-input`}
        data-testid="country"
        list={list}
        value={text}
        disabled={full}
        autocomplete="off"
        placeholder={full ? "Remove one to add another" : "Type a name, Enter adds it"}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <datalist id={list}>
        {left.map(({ code, name }) => (
          <option key={code} value={name}>
            {code}
          </option>
        ))}
      </datalist>
      <ul class="compare-chips" aria-label="Chosen countries">
        {chosen.map((code) => (
          <li key={code}>
            <button
              type="button"
              class="compare-chip"
              aria-label={`Remove ${countryName(code)}`}
              onClick={() => choose(chosen.filter((c) => c !== code))}>
              {countryName(code)} <span aria-hidden="true">✕</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const same = (a: string, b: string) => a.toLowerCase() === b.trim().toLowerCase();
