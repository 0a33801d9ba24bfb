// A picker of several countries.
import { useId, useState } from "preact/hooks";
import { countryName, countryOptions } from "../state";
import { maxCountries } from "./run";

type CountriesProps = { all: string[]; chosen: string[]; choose: (codes: string[]) => void };

export function Countries({ all, chosen, choose }: CountriesProps) {
  const [text, setText] = useState("");
  const list = useId();
  const full = chosen.length >= maxCountries;
  const left = countryOptions(all.filter((code) => !chosen.includes(code)));
  const add = (code: string | undefined) => {
    if (!code || full) return;
    choose([...chosen, code]);
    setText("");
  };
  const named = (typed: string) => left.find((names) => names.some((word) => same(word, typed)))?.[0];
  const type = (typed: string) => {
    setText(typed);
    // Choosing from the list enters a whole name at once. A code of two letters waits for Enter, because it may be the
    // beginning of a name.
    if (typed.length > 2) add(left.find(([, name]) => name === typed)?.[0]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add(named(text) ?? left.find(([, name]) => text && name.toLowerCase().startsWith(text.toLowerCase()))?.[0]);
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
        placeholder={full ? "Remove one to add another" : "Type a name and press Enter"}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <datalist id={list}>
        {left.map(([code, name]) => (
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
