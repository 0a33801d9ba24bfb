// The frame of the pages: header, navigation and sign-in.
import { render, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { base } from "./api";
import type { Session } from "./api.gen";
import { keepFocus } from "./focus";
import { follow } from "./live";
import { zone } from "./time";
import { session } from "./session";
import { balance, connected, findSession, followAddress, route, signIn, signOut, theme } from "./state";
import { Button, counted, Failed, Problem, Spinner, useAction, useRetry } from "./ui";
import { SignIn } from "./pages/signin";
import { Playground } from "./pages/playground";
import { Compare } from "./pages/compare";
import { History } from "./pages/history";
import { Usage } from "./pages/usage";
import { Keys } from "./pages/keys";
import { System } from "./pages/system";
import { Notifications } from "./pages/notifications";
import { Docs } from "./pages/docs";
import { Start } from "./start/page";
import { Trackers } from "./trackers/page";
import "./style.css";

const pages: Record<string, { title: string; show: ComponentType }> = {
  trackers: { title: "Trackers", show: Trackers },
  playground: { title: "Playground", show: Playground },
  compare: { title: "Compare", show: Compare },
  history: { title: "History", show: History },
  notifications: { title: "Notifications", show: Notifications },
  usage: { title: "Usage", show: Usage },
  keys: { title: "Keys and webhooks", show: Keys },
  system: { title: "System", show: System },
  start: { title: "Get started", show: Start },
};

/** Returns the page with a name. The name comes from the address, so it may be anything, also "constructor". */
const pageOf = (name: string) => (Object.hasOwn(pages, name) ? pages[name] : pages.playground);

function App() {
  const opening = useSession();
  const { page } = route.value;
  useEffect(() => {
    document.title = `${page === "docs" ? "API reference" : pageOf(page).title} · Earshot`;
  }, [page]);
  if (page === "docs")
    return (
      <Shell>
        <Docs />
      </Shell>
    );
  if (session.value === undefined)
    return <main class="lone">{opening.error ? <Failed {...opening} /> : <Spinner label="Signing in" />}</main>;
  if (!session.value)
    return (
      <main class="lone">
        <Problem error={opening.error} />
        <SignIn />
      </main>
    );
  const Show = pageOf(page).show;
  return (
    <Shell>
      <Show key={page} />
    </Shell>
  );
}

function Shell({ children }: { children: preact.ComponentChildren }) {
  const { page } = route.value;
  const home = page === "docs" ? base.pathname : "";
  // On a phone, a button opens the menu; choosing a page closes it.
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [route.value]);
  const content = useRef<HTMLElement>(null);
  useEffect(() => keepFocus(content.current!), []);
  return (
    <>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("content")?.focus();
        }}>
        Skip to content
      </a>
      <header>
        <a class="brand" href={`${home}#/playground`}>
          Earshot
        </a>
        <div class="standing">{session.value && <Standing />}</div>
        <Button
          text="Menu"
          class="small menu-button"
          aria-expanded={open}
          aria-controls="menu"
          onClick={() => setOpen(!open)}
          data-testid="menu"
        />
        <div id="menu" class={open ? "menu open" : "menu"}>
          <nav aria-label="Pages">
            {Object.entries(pages)
              .filter(([name]) => name !== "start")
              .map(([name, { title }]) => (
                <a key={name} href={`${home}#/${name}`} aria-current={name === page ? "page" : undefined}>
                  {title}
                </a>
              ))}
            <a href="docs" aria-current={page === "docs" ? "page" : undefined}>
              API reference
            </a>
          </nav>
          <div class="who">
            {session.value && <Account of={session.value} />}
            <ThemeSwitch />
            {session.value ? <SignOut /> : <a href={`${home}#/playground`}>Sign in</a>}
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} ref={content}>
        {children}
        {page !== "docs" && (
          <p class="faint zone">
            Times are in {zone.value.replaceAll("_", " ")} · <a href="#/start">Get started</a>
          </p>
        )}
      </main>
    </>
  );
}

/** The credit balance, and whether it is updated live. */
function Standing() {
  const text = connected.value ? "Live updates" : "Not connected";
  return (
    <>
      <span title="Credits left">{counted(balance.value, "credit")}</span>
      <span class={connected.value ? "dot on" : "dot"} role="img" aria-label={text} title={text} />
    </>
  );
}

/** The organization, and the permissions of the key. */
function Account({ of: { organization, keyId, keyName, scopes } }: { of: Session }) {
  return (
    <div class="account" title={`Key ${keyName || keyId}, permissions: ${scopes.join(", ")}`} data-testid="account">
      <strong>{organization}</strong>
      <span class="faint">{scopes.join(" · ")}</span>
    </div>
  );
}

function SignOut() {
  const { error, run } = useAction(signOut);
  return (
    <>
      <Button text="Sign out" class="small" title={session.value?.organization} onClick={run} />
      <Problem error={error} />
    </>
  );
}

function ThemeSwitch() {
  const next = { "": "light", light: "dark", dark: "" }[theme.value] ?? "";
  const label = { "": "Auto", light: "Light", dark: "Dark" }[theme.value] ?? "Auto";
  return <Button text={label} class="small" title="Color theme" onClick={() => (theme.value = next)} />;
}

/** Finds the session, or signs in with the one-time token of the link that the server prints. */
function useSession() {
  const [token] = useState(() => location.hash.match(/^#token=(.+)$/)?.[1]);
  const [error, setError] = useState<unknown>();
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (token) {
      history.replaceState(null, "", location.pathname);
      followAddress();
    }
    // A used link still works in the browser that signed in with it, because of the session.
    const used = (problem: unknown) => {
      setError(problem);
      return findSession();
    };
    (token ? signIn({ token }).catch(used) : findSession()).catch(setError);
  }, [count]);
  const again = () => setCount((n) => n + 1);
  useRetry(session.value === undefined ? error : undefined, again);
  return { error, again };
}

follow();
render(<App />, document.getElementById("app")!);
