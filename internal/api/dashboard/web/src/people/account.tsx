// Who is signed in, and a menu: other organizations, password, sessions, color theme and sign-out.
import { useEffect, useRef } from "preact/hooks";
import type { Session } from "earshot";
import { route, signOut, switchTo, theme } from "../state";
import { Button, Problem, Select, useAction } from "../ui";
import { roleNames } from "./words";

export function Account({ of, home }: { of: Session; home: string }) {
  const { organization, organizationId, organizations, keyId, keyName, scopes, user } = of;
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => menu.current?.hidePopover(), [route.value]);
  const leaving = useAction(signOut);
  const switching = useAction(switchTo);
  const who = user ? `${user.email}, ${roleNames[user.role]}` : `Key ${keyName || keyId}`;
  return (
    <>
      <button
        type="button"
        class="account"
        popovertarget="account"
        title={user ? who : `${who}, permissions: ${scopes.join(", ")}`}
        data-testid="account">
        <strong>{organization}</strong>
        <span class="faint">{keyName || keyId}</span>
      </button>
      <div id="account" popover="auto" class="card account-menu" ref={menu} data-testid="account-menu">
        <p>
          {user?.name && <strong class="block">{user.name}</strong>}
          <bdi>{who}</bdi>
        </p>
        {organizations.length > 1 && (
          <label class="field">
            Organization
            <Select
              value={organizationId}
              options={organizations.map(({ id, name }) => [id, name])}
              onChoose={switching.run}
              data-testid="organization"
            />
          </label>
        )}
        {user?.hasPassword && <a href={`${home}#/people/password`}>Change password</a>}
        {user && <a href={`${home}#/people/sessions`}>Your sessions</a>}
        <ThemeSwitch />
        <Button text="Sign out" disabled={leaving.busy} onClick={leaving.run} />
        <Problem error={leaving.error ?? switching.error} />
      </div>
    </>
  );
}

const themes: Record<string, [next: string, label: string]> = {
  "": ["light", "Auto"],
  light: ["dark", "Light"],
  dark: ["", "Dark"],
};

export function ThemeSwitch() {
  const [next, label] = themes[theme.value] ?? themes[""];
  return <Button text={`Theme: ${label}`} onClick={() => (theme.value = next)} />;
}
