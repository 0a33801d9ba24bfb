// The page on which people sign in: with an identity provider, with a password, or with an API key.
import { useLayoutEffect, useRef } from "preact/hooks";
import { base, call } from "../api";
import type { SignInProvider } from "earshot";
import { Entry, fieldsOf, Form, plainly } from "../people/form";
import { signInPath, signInProblem } from "../people/words";
import { key, signedOutBecause } from "../session";
import { route, signIn } from "../state";
import { Loading, Problem, useLoad } from "../ui";

/** Fetches how people can sign in. */
export const useWays = () =>
  useLoad(async (signal) => (await call("GET /v1/session", { signal })).signIn ?? none, [key.value]);
const none = { passwords: false, providers: [] };

export function SignIn({ error }: { error: unknown }) {
  const loaded = useWays();
  const { value: ways } = loaded;
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (ways) card.current?.querySelector<HTMLElement>("a, input")?.focus();
  }, [ways]);
  const { page, query } = route.value;
  return (
    <div class="card narrow" ref={card}>
      <h1>Earshot</h1>
      <p>See what AI assistants and search engines answer, in any country.</p>
      {signedOutBecause.value && <p class="notice">You were signed out: {signedOutBecause.value}</p>}
      <Problem error={error ?? (page === "signin" && query.problem && signInProblem(query.problem))} />
      <Loading of={loaded} />
      {ways && <Providers of={ways.providers} />}
      {ways?.passwords && (
        <Form text="Sign in" run={(form) => signIn(fieldsOf(form, "email", "password")).catch(plainly)}>
          <Entry label="Email" name="email" type="email" autocomplete="username" maxLength={254} />
          <Entry label="Password" name="password" type="password" autocomplete="current-password" maxLength={200} />
        </Form>
      )}
      {ways && (
        <details class="signin-key" open={!ways.passwords && !ways.providers.length}>
          <summary>Sign in with an API key</summary>
          <Form text="Sign in" run={(form) => signIn({ key: fieldsOf(form, "key").key.trim() })}>
            <Entry label="API key" name="key" type="password" autocomplete="off" placeholder="ear_live_…" />
          </Form>
          <p class="faint">
            The server prints a key and a sign-in link when it starts. Create another key with{" "}
            <code>earshot key create --org NAME</code>.
          </p>
        </details>
      )}
    </div>
  );
}

/** Links that sign in with an identity provider, and come back to this page. */
export const Providers = ({ of }: { of: SignInProvider[] }) => (
  <>
    {of.map(({ name, title }) => (
      <a key={name} class="button signin-provider" href={new URL(signInPath(name, location.hash), base).href}>
        Continue with <bdi>{title}</bdi>
      </a>
    ))}
  </>
);
