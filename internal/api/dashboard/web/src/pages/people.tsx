// The page of users, invitations, sessions and the audit log. People without the admin role see what is their own.
import type { ComponentType } from "preact";
import { Audit } from "../people/audit";
import { Invitations } from "../people/invitations";
import { Password } from "../people/password";
import { Sessions } from "../people/sessions";
import { Users } from "../people/users";
import { may, session } from "../session";
import { addressOf, route } from "../state";
import { NeedsAdmin } from "../ui";
import "../people/people.css";

/** The views, and who may see them. */
const views: { path: string; title: string; show: ComponentType; for: () => unknown }[] = [
  { path: "users", title: "Users", show: Users, for: () => may("admin") },
  { path: "invitations", title: "Invitations", show: Invitations, for: () => may("admin") },
  { path: "sessions", title: "Sessions", show: Sessions, for: () => may("admin") || session.value?.user },
  { path: "password", title: "Password", show: Password, for: () => session.value?.user?.hasPassword },
  { path: "audit", title: "Audit log", show: Audit, for: () => may("admin") },
];

export function People() {
  const open = views.filter((view) => view.for());
  const [path = open[0]?.path] = route.value.rest;
  const view = open.find((one) => one.path === path);
  return (
    <div class="tracking people">
      <h1>{may("admin") ? "People" : "Your account"}</h1>
      <nav class="views" aria-label="Views of people">
        {open.map((one) => (
          <a key={one.path} href={addressOf(["people", one.path])} aria-current={one === view ? "page" : undefined}>
            {one.title}
          </a>
        ))}
      </nav>
      {view ? <view.show /> : <NeedsAdmin what="This page" />}
    </div>
  );
}
