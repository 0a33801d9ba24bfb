// Components and hooks that every page uses.
import { effect } from "@preact/signals";
import type { AriaAttributes, ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError, mayPass } from "./api";
import type { Session } from "earshot";
import { download } from "./file";
import { fieldLabel } from "./names";
import { roleNames, roleWith } from "./people/words";
import { may, session } from "./session";
import { connected, signOut } from "./state";

/** What people can do about an error, by its code. */
const nextSteps: Record<string, string> = {
  NO_CONNECTION: "Check that the server is running, then try again.",
  MISSING_API_KEY: "Sign in again.",
  INVALID_API_KEY: "The key is mistyped, revoked or expired. Use another key.",
  INSUFFICIENT_CREDITS: "Wait for the next billing cycle, or ask your administrator for more credits.",
  KEY_BUDGET_EXCEEDED:
    "This key has used up its budget. Use another key, or ask your administrator to raise the budget.",
  INSUFFICIENT_PERMISSIONS: "Ask an admin for another role, or use a key with more permissions.",
  RESOURCE_NOT_FOUND: "It may have been deleted, or the link may be wrong.",
  RATE_LIMIT_EXCEEDED: "Too many requests. Wait a second, then try again.",
  CONCURRENT_LIMIT_EXCEEDED: "Wait until another request has finished, then try again.",
  QUEUE_LIMIT_EXCEEDED: "The queue is full. Try again later, or send fewer tasks.",
  INTERNAL_SERVER_ERROR: "Something went wrong on the server. Send the request ID to your administrator.",
  EXTERNAL_SERVICE_ERROR: "Nothing was charged. Try again later, or from another country.",
  SERVICE_UNAVAILABLE: "The server is busy or restarting. Try again in a moment.",
};

/** Says what to do about an error; nothing for a code without advice. */
export const NextStep = ({ code }: { code: string }) =>
  Object.hasOwn(nextSteps, code) ? <div class="next-step">{nextSteps[code]}</div> : null;

/** An error for people: the message, what to do, and the code and request ID for support. */
export function Problem({ error }: { error: unknown }) {
  if (!error) return null;
  const known = error instanceof ApiError ? error : undefined;
  const fields = known?.fields.map(({ field, message }) => `${fieldLabel(field)} ${message}`);
  return (
    <div class="problem" role="alert">
      <strong>{fields?.length ? fields.join("; ") : error instanceof Error ? error.message : String(error)}</strong>
      {known && <NextStep code={known.code} />}
      {known && (
        <div class="faint">
          {known.code}
          {known.requestId && (
            <>
              {" · Request ID "}
              <code>{known.requestId}</code>
            </>
          )}
        </div>
      )}
    </div>
  );
}

/** An error with a button that tries again. If stale, older content is still on the page. */
export function Failed({ error, again, stale }: { error: unknown; again: () => void; stale?: boolean }) {
  if (!error) return null;
  return (
    <div class="failed">
      <Problem error={error} />
      <p>
        {stale && "This page may be out of date. "}
        <Button text="Try again" class="small" onClick={again} />
      </p>
    </div>
  );
}

/** Grey bars in place of content that is loading. */
export function Skeleton({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div class="card skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} class={`bar w${i % 4}`} />
      ))}
    </div>
  );
}

/** Something that is fetched, as useLoad returns it. */
export interface Fetched<T> {
  value?: T;
  error: unknown;
  again: () => void;
}

/** Joins fetches of one part of a page: the value of the first, an error of any, and all of them again. */
export function together<T>(first: Fetched<T>, ...others: Fetched<unknown>[]): Fetched<T> {
  const again = () => {
    for (const one of [first, ...others]) one.again();
  };
  return { ...first, error: first.error ?? others.find(({ error }) => error)?.error, again };
}

/** The state of something that is fetched: its error, or grey bars (lines) or a spinner until it has arrived. */
export function Loading({ of: { value, error, again }, lines }: { of: Fetched<unknown>; lines?: number }) {
  if (error) return <Failed error={error} again={again} stale={value !== undefined} />;
  if (value !== undefined) return null;
  return lines ? <Skeleton lines={lines} /> : <Spinner />;
}

/** Runs an action for a button or form, and holds whether it is running and its error. */
export function useAction<Args extends unknown[]>(action: (...args: Args) => Promise<unknown>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (...args: Args) => {
    setBusy(true);
    setError(undefined);
    await action(...args).catch(setError);
    setBusy(false);
  };
  return { busy, error, run };
}

/** Names and values as a list, without those that are null. */
export const Facts = ({ of, ...look }: { of: Record<string, ComponentChildren>; class: string }) => (
  <dl {...look}>
    {Object.entries(of)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

/** A value as JSON, to copy or to download under a name. */
export function JsonView({ value, name }: { value: unknown; name?: string }) {
  const text = JSON.stringify(value, null, 2);
  const save = () => download(new Blob([text], { type: "application/json" }), `${name}.json`);
  return (
    <>
      <div class="tools">
        <Copy text={text} />
        {name && <Button text="Download" class="small" onClick={save} />}
      </div>
      <pre class="tall" tabIndex={0} data-testid="json">
        {text}
      </pre>
    </>
  );
}

/** Code with a button that copies it. */
export const CodeBox = ({ code, testid }: { code: string; testid?: string }) => (
  <div class="code-box">
    <Copy text={code} />
    <pre tabIndex={0} data-testid={testid}>
      {code}
    </pre>
  </div>
);

/** A value to choose, with its name if that differs. */
export type Choice = string | readonly [value: string, name: string];

interface SelectProps extends AriaAttributes {
  id?: string;
  name?: string;
  "data-testid"?: string;
  value: string;
  options: readonly Choice[];
  /** The text of the empty choice; without it, there is no empty choice. */
  all?: string;
  onChoose: (value: string) => void;
}

/** A list to choose a value from. If the list lacks the current value, the value is added to it. */
export function Select({ value, options, all, onChoose, ...attributes }: SelectProps) {
  const choices = options.map((option) => (typeof option === "string" ? ([option, option] as const) : option));
  const missing = value && !choices.some(([known]) => known === value) ? ([[value, value]] as const) : [];
  return (
    <select {...attributes} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {all !== undefined && <option value="">{all}</option>}
      {[...choices, ...missing].map(([key, name]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  );
}

type ButtonProps = Omit<JSX.IntrinsicElements["button"], "children"> & { text: ComponentChildren };

/** A button that submits no form. */
export const Button = ({ text, ...attributes }: ButtonProps) => (
  <button type="button" {...attributes}>
    {text}
  </button>
);

/** An empty state: what is missing, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Spinner({ label = "Loading" }: { label?: string }) {
  return <span class="spinner" role="status" aria-label={label} />;
}

/** Fetches a value, and fetches it again when on changes. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, on: unknown[]): Fetched<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<unknown>();
  const [count, setCount] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    load(stop.signal).then(
      (loaded) => {
        if (!stop.signal.aborted) {
          setValue(() => loaded);
          setError(undefined);
        }
      },
      (problem) => {
        if (!stop.signal.aborted) setError(problem);
      },
    );
    return () => stop.abort();
  }, [...on, count]);
  const again = () => setCount((n) => n + 1);
  useRetry(error, again);
  return { value, error, again };
}

const minPause = 1000;
const maxPause = 30_000;

/** After an error, tries again when the live stream reconnects, and if the error may pass, after longer and longer
 * pauses. The pauses are random, so that panels and tabs do not all send their requests at the same moment. */
export function useRetry(error: unknown, again: () => void) {
  const pause = useRef(minPause);
  useEffect(() => {
    if (!error) {
      pause.current = minPause;
      return;
    }
    const timer = mayPass(error) ? setTimeout(again, pause.current * (0.5 + Math.random())) : undefined;
    pause.current = Math.min(2 * pause.current, maxPause);
    let before = connected.peek();
    const stop = effect(() => {
      const back = connected.value && !before;
      before = connected.value;
      if (back) again();
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [error]);
}

/** Loads a value once the dependencies in on have not changed for a moment. While busy, the value is an older one. */
export function useSettled<T>(load: (signal: AbortSignal) => Promise<T>, on: unknown[], pause = 400) {
  const [state, setState] = useState<{ on?: unknown[]; value?: T; error?: unknown }>({});
  const [count, setCount] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const set = (result: { value?: T; error?: unknown }) => {
      if (!stop.signal.aborted) setState({ on, ...result });
    };
    const timer = setTimeout(() => {
      load(stop.signal).then(
        (value) => set({ value }),
        (error) => set({ error }),
      );
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [...on, count]);
  const busy = !state.on?.every((value, i) => Object.is(value, on[i]));
  const again = () => setCount((n) => n + 1);
  useRetry(state.error, again);
  return { value: state.value, error: state.error, busy, again };
}

export interface Tab {
  name: string;
  content: () => ComponentChildren;
}

/** Tabs; the arrow keys move between them. */
export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  const [chosen, choose] = useState(tabs[0]?.name);
  const id = useId();
  const open = tabs.find((tab) => tab.name === chosen) ?? tabs[0];
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(open) + step + tabs.length) % tabs.length];
    choose(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            id={`${id}-${tab.name}`}
            role="tab"
            type="button"
            aria-selected={tab === open}
            aria-controls={`${id}-panel`}
            tabIndex={tab === open ? 0 : -1}
            onClick={() => choose(tab.name)}>
            {tab.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open?.name}`}>
        {open?.content()}
      </div>
    </div>
  );
}

type DialogProps = { title: string; open: boolean; onClose: () => void; children: ComponentChildren };

/** A modal dialog. */
export function Dialog({ title, open, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) ref.current?.showModal();
    else ref.current?.close();
  }, [open]);
  return (
    <dialog ref={ref} onClose={onClose} aria-label={title}>
      <h2>{title}</h2>
      {open && children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  action: string;
  back?: string;
  look?: "danger" | "primary";
  testid?: string;
  open: boolean;
  onClose: () => void;
  run: () => Promise<void>;
  children: ComponentChildren;
}

/** A dialog that asks before an action, runs it, and stays open if it fails. */
export function Confirm({
  title,
  action,
  back = "Cancel",
  look = "danger",
  testid = "confirm",
  open,
  onClose,
  run,
  children,
}: ConfirmProps) {
  const {
    busy,
    error,
    run: confirm,
  } = useAction(async () => {
    await run();
    onClose();
  });
  return (
    <Dialog title={title} open={open} onClose={onClose}>
      {children}
      <Problem error={error} />
      <div class="actions">
        <Button text={back} onClick={onClose} />
        <Button text={action} class={look} disabled={busy} onClick={confirm} data-testid={testid} />
      </div>
    </Dialog>
  );
}

/** A button that copies text. */
export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return <Button text={done ? "Copied" : label} class="small" onClick={copy} />;
}

type NeedsProps = { scope: Session["scopes"][number]; what: string; children: ComponentChildren };

/** Shows its children to keys and users with a scope; says to others which permission or role is missing. */
export function Needs({ scope, what, children }: NeedsProps) {
  if (may(scope)) return <>{children}</>;
  return (
    <p class="notice" data-testid="needs">
      {session.value?.user ? (
        <>
          To {what}, you need the role <strong>{roleNames[roleWith(scope)]}</strong>. Ask an admin.
        </>
      ) : (
        <>
          To {what}, sign in with a key that has the <code>{scope}</code> permission.
        </>
      )}
    </p>
  );
}

/** Says how to get the admin scope. */
export function NeedsAdmin({ what }: { what: string }) {
  if (session.value?.user)
    return (
      <div class="empty" data-testid="needs-admin">
        <h2>{what} requires the role Admin</h2>
        <p>
          Ask an admin of <bdi>{session.value.organization}</bdi> to change your role.
        </p>
      </div>
    );
  return (
    <div class="empty keys-admin" data-testid="needs-admin">
      <h2>{what} requires an admin key</h2>
      <p>Your key does not have the admin permission. There are two ways to get it:</p>
      <ul>
        <li>Open the sign-in link that the server prints when it starts.</li>
        <li>
          Create a key on the server and sign in with it:{" "}
          <code>earshot key create --org NAME --scopes read,monitor,tasks,admin</code>
        </li>
      </ul>
      <Button text="Sign in with another key" onClick={() => signOut()} />
    </div>
  );
}

type SecretProps = { title: string; secret?: string; onClose: () => void; children: ComponentChildren };

/** Shows a new secret, which the server shows only once. */
export function Secret({ title, secret, onClose, children }: SecretProps) {
  return (
    <Dialog title={title} open={!!secret} onClose={onClose}>
      <p>
        <strong>Copy it now. You won't see it again.</strong>
      </p>
      <pre class="keys-secret" data-testid="secret">
        {secret}
      </pre>
      <Copy text={secret ?? ""} />
      {children}
      <div class="actions">
        <Button text="Done" class="primary" onClick={onClose} data-testid="secret-done" />
      </div>
    </Dialog>
  );
}

export { counted, number } from "./count";
export const percent = (share: number) =>
  `${(100 * share).toLocaleString(undefined, { maximumFractionDigits: 1 })}\u00a0%`;
