// The page of an invitation: #/join/{token}.
import { call } from "../api";
import { Providers, useWays } from "../pages/signin";
import { session } from "../session";
import { join, route, signOut } from "../state";
import { Button, Loading, useLoad } from "../ui";
import { Entry, fieldsOf, Form, NewPassword, plainly } from "./form";
import { roleNames } from "./words";

export function Join() {
  const [token = ""] = route.value.rest;
  const loaded = useLoad((signal) => call("POST /v1/invitation", { body: { token }, signal }), [token]);
  const ways = useWays().value;
  const { value: invitation, error } = loaded;
  if (!invitation || !ways)
    return (
      <div class="card narrow">
        <h1>Invitation</h1>
        <Loading of={loaded} />
        {!!error && <a href="#/">Sign in</a>}
      </div>
    );
  const { organization, reset, email, role, hasPassword, usesProvider } = invitation;
  return (
    <div class="card narrow">
      <h1>
        {reset ? "New password for" : "Join"} <bdi>{reset ? email : organization}</bdi>
      </h1>
      {!reset && (
        <p>
          You are invited as <strong>{roleNames[role]}</strong>, with the email <bdi>{email}</bdi>.
        </p>
      )}
      {session.value && <p class="notice">You are signed in as {session.value.keyName}. This signs you out.</p>}
      {!reset && <Providers of={ways.providers} />}
      {usesProvider && session.value && <Button text="Sign out, then continue" onClick={() => signOut()} />}
      {!usesProvider && (ways.passwords || session.value) && (
        <Form
          text={reset ? "Save" : "Join"}
          run={(form) => join({ token, ...fieldsOf(form, "name", "password") }).catch(plainly)}>
          <Entry label="Email" type="email" autocomplete="username" value={email} readOnly />
          {!hasPassword && !reset && <Entry label="Your name" name="name" autocomplete="name" maxLength={100} />}
          {hasPassword ? (
            <Entry label="Your password" name="password" type="password" autocomplete="current-password" />
          ) : (
            <NewPassword label="New password" name="password" />
          )}
        </Form>
      )}
    </div>
  );
}
