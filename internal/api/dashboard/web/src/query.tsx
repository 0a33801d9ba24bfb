// Filter fields whose values are in the address, so that a view can be shared as a link.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { changeQuery, route } from "./state";
import { dateText } from "./time";
import { Button, Select, useLoad } from "./ui";

const pauseAfterTyping = 300;

/** A text filter. The address changes when typing pauses. */
export function SearchField({ name, label, maxLength }: { name: string; label: string; maxLength: number }) {
  const value = route.value.query[name] ?? "";
  const [text, setText] = useState(value);
  useLayoutEffect(() => setText(value), [value]); // a later effect would undo what is typed in the meantime
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

/** A filter with a list of values. */
export function ChoiceField({ name, all, values, show = (value) => value }: ChoiceFieldProps) {
  const chosen = route.value.query[name] ?? "";
  const offered = useLoad(async () => values(), []).value ?? [];
  const options = [...new Set(chosen ? [...offered, chosen] : offered)].map((value) => [value, show(value)] as const);
  const choose = (value: string) => changeQuery({ [name]: value });
  return <Select id={`filter-${name}`} aria-label={all} all={all} value={chosen} options={options} onChoose={choose} />;
}

/** The labels of filters, by the names of the API. */
const labels: Record<string, string> = {
  q: "Search",
  mode: "Kind",
  errorReason: "Reason",
  status: "State",
  provider: "Platform",
  promptId: "Prompt",
  dueFrom: "Sweeps from",
  dueTo: "Sweeps until",
};

const labelOf = (name: string) =>
  Object.hasOwn(labels, name) ? labels[name] : name.charAt(0).toUpperCase() + name.slice(1);

const isDate = (name: string) => ["from", "to", "dueFrom", "dueTo"].includes(name);

/** Removes a filter. The button that was pressed may disappear, so the first filter gets the focus. */
function drop(name: string) {
  changeQuery({ [name]: undefined, days: undefined });
  document.querySelector<HTMLElement>("main [type=search]")?.focus();
}

/** Filters without a field of their own, each with a button that removes it. */
export const Pills = ({ of }: { of: Record<string, string | undefined> }) => (
  <>
    {Object.entries(of).map(
      ([name, value]) =>
        value && (
          <button key={name} type="button" class="pill" onClick={() => drop(name)}>
            {labelOf(name)}: <bdi>{isDate(name) ? dateText(value) : value}</bdi> <span aria-hidden="true">✕</span>
            <span class="hidden-words">, remove</span>
          </button>
        ),
    )}
  </>
);

/** Buttons that remove filters, for an empty list. */
export const DropFilters = ({ names }: { names: string[] }) => (
  <p>
    Remove a filter:{" "}
    {names.map((name) => (
      <Button key={name} text={`${labelOf(name)} ✕`} class="small" onClick={() => drop(name)} />
    ))}
  </p>
);
