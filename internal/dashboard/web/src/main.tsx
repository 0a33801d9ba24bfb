// The shell: who is signed in, which page is shown.
import { render, type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { base, call } from "./api";
import { follow } from "./live";
import { balance, connected, followAddress, key, route, signOut, theme } from "./state";
import { number, Problem } from "./ui";
import { SignIn } from "./pages/signin";
import { Playground } from "./pages/playground";
import { Compare } from "./pages/compare";
import { Tasks } from "./pages/tasks";
import { Usage } from "./pages/usage";
import { Keys } from "./pages/keys";
import { Docs } from "./pages/docs";
import "./style.css";

const pages: Record<string, { title: string; show: ComponentType }> = {
  playground: { title: "Playground", show: Playground },
  compare: { title: "Compare", show: Compare },
  tasks: { title: "Tasks", show: Tasks },
  usage: { title: "Usage", show: Usage },
  keys: { title: "Keys and webhooks", show: Keys },
};

/** The page of that name; the address may name anything, also what every object has. */
const pageOf = (name: string) => (Object.hasOwn(pages, name) ? pages[name] : pages.playground);

function App() {
  const token = useToken();
  const { page } = route.value;
  useEffect(() => {
    document.title = `${page === "docs" ? "API reference" : pageOf(page).title} · Earshot`;
  }, [page]);
  if (page === "docs") return <Shell><Docs /></Shell>;
  if (token.pending) return <main class="lone">Signing in…</main>;
  if (!key.value) return <main class="lone"><Problem error={token.error} /><SignIn /></main>;
  const Show = pageOf(page).show;
  return <Shell><Show key={page} /></Shell>;
}

function Shell({ children }: { children: preact.ComponentChildren }) {
  const { page } = route.value;
  const home = page === "docs" ? base.pathname : "";
  return (
    <>
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById("content")?.focus(); }}>Skip to the page</a>
      <header>
        <a class="brand" href={`${home}#/playground`}>Earshot</a>
        <nav aria-label="Pages">
          {Object.entries(pages).map(([name, { title }]) => (
            <a key={name} href={`${home}#/${name}`} aria-current={name === page ? "page" : undefined}>{title}</a>
          ))}
          <a href="docs" aria-current={page === "docs" ? "page" : undefined}>API reference</a>
        </nav>
        <div class="who">
          {key.value && <span title="Credits left">{number(balance.value)} credits</span>}
          {key.value && <span class={connected.value ? "dot on" : "dot"} title={connected.value ? "Live" : "Not connected"} />}
          <ThemeSwitch />
          {key.value && <button type="button" class="small" onClick={() => signOut()}>Sign out</button>}
        </div>
      </header>
      <main id="content" tabIndex={-1}>{children}</main>
    </>
  );
}

function ThemeSwitch() {
  const next = { "": "light", light: "dark", dark: "" }[theme.value] ?? "";
  const label = { "": "System", light: "Light", dark: "Dark" }[theme.value] ?? "System";
  return <button type="button" class="small" title="Colours" onClick={() => (theme.value = next)}>{label}</button>;
}

/** Exchanges the one-time token of the link that the server printed for a key. */
function useToken() {
  const [token] = useState(() => location.hash.match(/^#token=(.+)$/)?.[1]);
  const [error, setError] = useState<unknown>();
  const [pending, setPending] = useState(!!token);
  useEffect(() => {
    if (!token) return;
    history.replaceState(null, "", location.pathname);
    followAddress();
    call("POST /v1/session", { body: { token }, withKey: "" })
      .then(({ secret }) => { key.value = secret; }, setError)
      .finally(() => setPending(false));
  }, []);
  return { error, pending };
}

follow();
render(<App />, document.getElementById("app")!);
