// The frame of the pages: header, navigation and sign-in.
import { render, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { base } from "./api";
import { keepFocus } from "./focus";
import { follow } from "./live";
import { zone } from "./time";
import { may, session, switchedElsewhere } from "./session";
import { balance, connected, findSession, leave, route, signIn } from "./state";
import { Button, counted, Dialog, Failed, Spinner, useRetry } from "./ui";
import { Account, ThemeSwitch } from "./people/account";
import { Join } from "./people/join";
import { People } from "./pages/people";
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
  people: { title: "People", show: People },
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
  if (page === "join" || !session.value)
    return <main class="lone">{page === "join" ? <Join /> : <SignIn error={opening.error} />}</main>;
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
              .filter(([name]) => name !== "start" && (name !== "people" || may("admin")))
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
            {session.value ? (
              <Account of={session.value} home={home} />
            ) : (
              <>
                <ThemeSwitch />
                <a href={`${home}#/playground`}>Sign in</a>
              </>
            )}
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} ref={content}>
        <Switched />
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

/** Says that this tab shows another organization than the session has now. */
function Switched() {
  const reload = () => location.reload();
  return (
    <Dialog title="You switched to another organization in another tab" open={switchedElsewhere.value} onClose={reload}>
      <p>Nothing was changed. Reload this page to see the organization that you switched to.</p>
      <Button text="Reload" class="primary" onClick={reload} />
    </Dialog>
  );
}

/** Finds the session, or signs in with the one-time token of the link that the server prints. */
function useSession() {
  const [token] = useState(() => location.hash.match(/^#token=(.+)$/)?.[1]);
  const [error, setError] = useState<unknown>();
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (token) leave("");
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
