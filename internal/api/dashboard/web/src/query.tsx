// Fields whose values are in the address, so that a view can be sent as a link.
import { useEffect, useState } from "preact/hooks";
import { changeQuery, route } from "./state";
import { useLoad } from "./ui";

const pauseAfterTyping = 300;

/** A text of the address; it changes once nobody has typed for a moment. */
export function SearchField({ name, label, maxLength }: { name: string; label: string; maxLength: number }) {
  const value = route.value.query[name] ?? "";
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => changeQuery({ [name]: text }), pauseAfterTyping);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={maxLength}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      data-testid="search"
    />
  );
}

interface ChoiceFieldProps {
  name: string;
  all: string;
  values: () => Promise<string[]> | string[];
  show?: (value: string) => string;
}

/** One of some values, or all; a value that the address names is offered in any case. */
export function ChoiceField({ name, all, values, show = (value) => value }: ChoiceFieldProps) {
  const chosen = route.value.query[name] ?? "";
  const offered = useLoad(async () => values(), []).value ?? [];
  return (
    <select
      id={`filter-${name}`}
      aria-label={all}
      value={chosen}
      onChange={(event) => changeQuery({ [name]: event.currentTarget.value })}>
      <option value="">{all}</option>
      {[...new Set(chosen ? [...offered, chosen] : offered)].map((value) => (
        <option key={value} value={value}>
          {show(value)}
        </option>
      ))}
    </select>
  );
}

/**
 * Drops a part of the address. The button that did it may be gone then, so that the keyboard goes on at the
 * first filter.
 */
function drop(name: string) {
  changeQuery({ [name]: undefined, days: undefined });
  document.querySelector<HTMLElement>("main [type=search]")?.focus();
}

/** The parts of the address that have no field of their own; each can be dropped. */
export function Pills({ of, names = {} }: { of: Record<string, string | undefined>; names?: Record<string, string> }) {
  return (
    <>
      {Object.entries(of)
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <button key={name} type="button" class="pill" onClick={() => drop(name)}>
            {names[name] ?? name}: {value} <span aria-hidden="true">✕</span>
            <span class="hidden-words">, remove</span>
          </button>
        ))}
    </>
  );
}

/** What to say where filters leave nothing: which to drop. */
export const DropFilters = ({ names }: { names: string[] }) => (
  <p>
    Drop a filter:{" "}
    {names.map((name) => (
      <button key={name} type="button" class="small" onClick={() => drop(name)}>
        {name} ✕
      </button>
    ))}
  </p>
);
