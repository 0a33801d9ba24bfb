// Pieces that every page uses.
import { effect } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError } from "./api";
import { nextSteps, type Session } from "./api.gen";
import { Line } from "./result/markdown";
import { may } from "./session";
import { connected, signOut } from "./state";

/** What to do about an error, as the docs say it. */
export function NextStep({ code }: { code: string }) {
  const text =
    Object.entries(nextSteps).find(([known]) => known === code)?.[1] ??
    (code === "NO_CONNECTION" ? "see whether the server runs, and try again" : undefined);
  return text ? (
    <div class="next-step">
      What to do: <Line text={text} />.
    </div>
  ) : null;
}

/** An error with what to do about it, and what to quote when asking for help. */
export function Problem({ error }: { error: unknown }) {
  if (!error) return null;
  const known = error instanceof ApiError ? error : undefined;
  return (
    <div class="problem" role="alert">
      <strong>{known?.code ?? "Error"}</strong> {error instanceof Error ? error.message : String(error)}
      {known && <NextStep code={known.code} />}
      {known?.requestId && (
        <div class="faint">
          Request <code>{known.requestId}</code>
        </div>
      )}
    </div>
  );
}

type ButtonProps = Omit<JSX.IntrinsicElements["button"], "children"> & { text: ComponentChildren };

/** A button that submits no form. */
export const Button = ({ text, ...attributes }: ButtonProps) => (
  <button type="button" {...attributes}>
    {text}
  </button>
);

/** What stands where there is nothing yet, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

export function Spinner({ label = "Loading" }: { label?: string }) {
  return <span class="spinner" role="status" aria-label={label} />;
}

/** Something that is fetched: its value, its error, and a way to fetch it again. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, on: unknown[]) {
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
  // What failed is fetched again once the live stream is back.
  useEffect(() => {
    if (!error) return;
    let before = connected.peek();
    return effect(() => {
      const back = connected.value && !before;
      before = connected.value;
      if (back) again();
    });
  }, [error]);
  return { value, error, again };
}

export interface Tab {
  name: string;
  content: () => ComponentChildren;
}

/** Tabs that follow the arrow keys. */
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

export interface Column<Row> {
  name: string;
  value: (row: Row) => string | number | null | undefined;
  show?: (row: Row) => ComponentChildren;
  numeric?: boolean /** Takes what the others leave, and cuts what is longer. */;
  wide?: boolean;
}

interface TableProps<Row> {
  rows: Row[];
  columns: Column<Row>[];
  label: string;
  onOpen?: (row: Row) => void;
  rowKey?: (row: Row) => string;
  keepColumns?: boolean;
}

/**
 * A table that sorts by a click on, or Enter in, the head of a column. Where it is narrow
 * each row becomes a list of its cells, unless it keeps its columns; where columns are
 * still out of sight it says so.
 */
export function Table<Row>({ rows, columns, label, onOpen, rowKey, keepColumns }: TableProps<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const overflows = useOverflow(box);
  const [by, setBy] = useState<{ column: string; down: boolean }>();
  const column = columns.find((c) => c.name === by?.column);
  const sorted = column
    ? [...rows].sort((a, b) => compare(column.value(a), column.value(b)) * (by!.down ? -1 : 1))
    : rows;
  const look = (c: Column<Row>) => [c.numeric && "number", c.wide && "wide"].filter(Boolean).join(" ") || undefined;
  const region = overflows ? { role: "region" as const, tabIndex: 0, "aria-label": `${label}, scrolls sideways` } : {};
  return (
    <>
      {overflows && <p class="faint sideways">Scroll sideways for the other columns →</p>}
      <div class={keepColumns ? "scroll" : "scroll folds"} ref={box} {...region}>
        <table role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((c) => {
                const sort = by?.column === c.name ? (by.down ? "descending" : "ascending") : "none";
                return (
                  <th key={c.name} role="columnheader" aria-sort={sort} class={look(c)}>
                    <Button text={c.name} onClick={() => setBy({ column: c.name, down: sort === "ascending" })} />
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {sorted.map((row, i) => (
              <tr
                key={rowKey?.(row) ?? i}
                role="row"
                class={onOpen && "opens"}
                tabIndex={onOpen ? 0 : undefined}
                onClick={() => onOpen?.(row)}
                onKeyDown={(event) => event.key === "Enter" && onOpen?.(row)}>
                {columns.map((c) => (
                  <td key={c.name} role="cell" data-label={c.name} class={look(c)}>
                    {c.show ? c.show(row) : c.value(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The head of a table, by the names of its columns; those of numbers begin with #. */
export const Heads = ({ names }: { names: string[] }) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th key={name} scope="col" class={name.startsWith("#") ? "number" : undefined}>
          {name.replace("#", "")}
        </th>
      ))}
    </tr>
  </thead>
);

/** Whether what is in the box is wider than the box. */
export function useOverflow(box: { current: HTMLElement | null }) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const watch = new ResizeObserver(() => setOver(current.scrollWidth > current.clientWidth + 1));
    watch.observe(current);
    watch.observe(current.firstElementChild!);
    return () => watch.disconnect();
  }, []);
  return over;
}

function compare(a: string | number | null | undefined, b: string | number | null | undefined) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""), undefined, { numeric: true });
}

type DialogProps = { title: string; open: boolean; onClose: () => void; children: ComponentChildren };

/** A question before something that cannot be undone. */
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
  testid?: string;
  open: boolean;
  onClose: () => void;
  run: () => Promise<void>;
  children: ComponentChildren;
}

/** Asks before something that cannot be undone, does it, and stays open when it failed. */
export function Confirm({
  title,
  action,
  back = "Cancel",
  testid = "confirm",
  open,
  onClose,
  run,
  children,
}: ConfirmProps) {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const close = () => {
    setError(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    try {
      await run();
      close();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <Dialog title={title} open={open} onClose={close}>
      {children}
      <Problem error={error} />
      <div class="actions">
        <Button text={back} onClick={close} />
        <Button text={action} class="danger" disabled={busy} onClick={confirm} data-testid={testid} />
      </div>
    </Dialog>
  );
}

/** A moment, in the reader's time zone; the exact one on hover. */
export function When({ at, brief }: { at: string | null | undefined /** Without seconds. */; brief?: boolean }) {
  if (!at) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={at}>
      {new Date(at).toLocaleString(undefined, { dateStyle: "short", timeStyle: brief ? "short" : "medium" })}
    </time>
  );
}

/** A button that copies a text. */
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

/** Something that takes a scope; in its place, a key without the scope reads why it is absent. */
export function Needs({ scope, what, children }: NeedsProps) {
  if (may(scope)) return <>{children}</>;
  return (
    <p class="notice" data-testid="needs">
      Your key has no scope <code>{scope}</code>, which {what} needs.
    </p>
  );
}

/** What to do where the key may not look. */
export function NeedsAdmin({ what }: { what: string }) {
  return (
    <div class="empty keys-admin" data-testid="needs-admin">
      <h3>
        {what} needs a key with the scope <code>admin</code>
      </h3>
      <p>Yours does not have it. There are two ways to get one:</p>
      <ul>
        <li>Open the sign-in link that the server prints when it starts.</li>
        <li>
          Make a key at the server, and sign in with it:{" "}
          <code>earshot key create --org NAME --scopes read,monitor,tasks,admin</code>
        </li>
      </ul>
      <Button text="Sign in with another key" onClick={() => signOut()} />
    </div>
  );
}

type SecretProps = { title: string; secret?: string; onClose: () => void; children: ComponentChildren };

/** A secret that the server tells this once. */
export function Secret({ title, secret, onClose, children }: SecretProps) {
  return (
    <Dialog title={title} open={!!secret} onClose={onClose}>
      <p>
        <strong>This is shown this once.</strong> Store it now; nobody can show it again.
      </p>
      <pre class="keys-secret" data-testid="secret">
        {secret}
      </pre>
      <Copy text={secret ?? ""} />
      {children}
      <div class="actions">
        <Button text="I have stored it" class="primary" onClick={onClose} data-testid="secret-done" />
      </div>
    </Dialog>
  );
}

export const number = (n: number | null | undefined) => (n == null ? "–" : n.toLocaleString());
/** A number of things: 1 sweep, 2 sweeps. */
export const counted = (n: number | null | undefined, one: string, many = `${one}s`) =>
  `${number(n)} ${n === 1 ? one : many}`;
export const percent = (share: number) =>
  share.toLocaleString(undefined, { style: "percent", maximumFractionDigits: 1 });
