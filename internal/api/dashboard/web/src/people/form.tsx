// A form that sends its named fields, and waits after too many attempts.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api";
import { Problem, useAction } from "../ui";

interface FormProps {
  text: string;
  run: (values: FormData) => Promise<unknown>;
  children: ComponentChildren;
  class?: string;
  "data-testid"?: string;
}

/** A form with a button, which sends its fields. After a refusal, its password gets the focus. */
export function Form({ text, run: action, children, ...attributes }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { busy, error, run } = useAction(action);
  const slow = error instanceof ApiError && error.status === 429 && error.retryAfter > 0;
  const wait = useWait(slow ? error.retryAfter : 0, error);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLInputElement>("[type=password]")?.select();
  }, [error]);
  const submit = (event: Event) => {
    event.preventDefault();
    void run(new FormData(form.current!));
  };
  return (
    <form ref={form} onSubmit={submit} {...attributes}>
      {children}
      <Problem error={slow ? wait > 0 && "Too many attempts." : error} />
      <button class="primary" disabled={busy || wait > 0}>
        {wait ? `Try again in ${wait} s` : text}
      </button>
    </form>
  );
}

/** Returns the texts of fields by their names, without empty fields. */
export const fieldsOf = <Name extends string>(form: FormData, ...names: Name[]) =>
  Object.fromEntries(names.flatMap((name) => (form.get(name) ? [[name, form.get(name)]] : []))) as Record<Name, string>;

type EntryProps = JSX.IntrinsicElements["input"] & { label: string };

/** A required field with its label. */
export const Entry = ({ label, ...attributes }: EntryProps) => (
  <label>
    {label}
    <input required {...attributes} />
  </label>
);

/** The field of a new password. */
export const NewPassword = ({ label, name }: { label: string; name: string }) => (
  <Entry
    label={`${label} (at least 12 characters)`}
    name={name}
    type="password"
    autocomplete="new-password"
    minLength={12}
    maxLength={200}
  />
);

/** Throws the error of a wrong password without the advice about API keys. */
export function plainly(problem: unknown): never {
  if (!(problem instanceof ApiError) || problem.code !== "INVALID_API_KEY") throw problem;
  throw new Error(problem.message.charAt(0).toUpperCase() + problem.message.slice(1));
}

/** Counts the seconds down, and begins anew when on changes. */
function useWait(seconds: number, on: unknown): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const until = Date.now() + 1000 * seconds;
    const count = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    count();
    const timer = setInterval(count, 500);
    return () => clearInterval(timer);
  }, [on]);
  return left;
}
