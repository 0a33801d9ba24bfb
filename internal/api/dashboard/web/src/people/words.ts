// The words of the pages about people.
import type { Role, Session } from "earshot";
import { toYAML } from "../trackers/yaml";

export const roleNames: Record<Role, string> = { viewer: "Viewer", editor: "Editor", admin: "Admin" };

/** The roles as choices, with what they allow. */
export const roleChoices = [
  ["viewer", "Viewer: reads everything"],
  ["editor", "Editor: also runs requests and changes trackers"],
  ["admin", "Admin: also manages people, keys and webhooks"],
] as const;

/** Returns the lowest role that has a scope. */
export const roleWith = (scope: Session["scopes"][number]): Role =>
  scope === "admin" ? "admin" : scope === "read" ? "viewer" : "editor";

/** Why signing in with an identity provider failed, by the code in the address. */
const signInProblems: Record<string, string> = {
  denied: "The sign-in was canceled, or your account is not allowed.",
  refused: "The identity provider's answer was not accepted. Try again.",
  unavailable: "The identity provider is not reachable. Try again in a moment.",
  "no-role": "You have no role here, or your email address is not verified. Ask an admin for an invitation.",
};

export const signInProblem = (code: string) =>
  Object.hasOwn(signInProblems, code) ? signInProblems[code] : "Signing in did not work. Try again.";

/** Returns where signing in with an identity provider begins. It ends on the page of hash. */
export function signInPath(provider: string, hash: string): string {
  const to = /^#\/(signin|join)\b/.test(hash) ? "" : hash.replace(/^#/, "");
  return `signin/${encodeURIComponent(provider)}${to && `?${new URLSearchParams({ to })}`}`;
}

const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|CriOS|Chromium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const systems: [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** Returns a browser in words, such as "Firefox on Windows", from its User-Agent. */
export function browserName(agent: string): string {
  const known = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(agent))?.[1];
  const system = known(systems);
  const browser = known(browsers) ?? (agent.match(/^[\w.-]{1,30}/)?.[0] || "Unknown browser");
  return system ? `${browser} on ${system}` : browser;
}

/** What the audit log is about, by the first part of an action. */
export const auditThings: Record<string, string> = {
  alert: "Alert",
  channel: "Channel",
  credits: "Credits",
  invitation: "Invitation",
  key: "Key",
  organization: "Organization",
  plan: "Plan",
  queue: "Queue",
  review: "Review",
  session: "Sign-in",
  share: "Share link",
  sweep: "Sweep",
  task: "Task",
  tracker: "Tracker",
  user: "User",
  webhook: "Webhook secret",
};

const auditVerbs: Record<string, string> = {
  create: "created",
  change: "changed",
  revoke: "revoked",
  delete: "deleted",
  save: "saved",
  pause: "paused",
  resume: "resumed",
  run: "run",
  rotate: "rotated",
  grant: "granted",
  set: "set",
  clear: "cleared",
  cancel: "canceled",
  reanalyse: "re-analyzed",
  mark: "marked",
  acknowledge: "acknowledged",
  refused: "refused",
  remove: "removed",
};

/** Actions whose words do not follow from their parts. */
const auditActions: Record<string, string> = {
  "session.signin": "Signed in",
  "session.signout": "Signed out",
  "session.revoke": "Session ended",
  "session.switch": "Organization switched",
  "user.invite": "User invited",
  "user.join": "User joined",
  "user.role": "Role changed",
  "user.password": "Password changed",
};

/** Returns an action of the audit log in words: "Key created" for key.create. An unknown action stays unchanged. */
export function actionText(action: string): string {
  if (Object.hasOwn(auditActions, action)) return auditActions[action];
  const [thing, verb] = action.split(".");
  return Object.hasOwn(auditThings, thing) && Object.hasOwn(auditVerbs, verb)
    ? `${auditThings[thing]} ${auditVerbs[verb]}`
    : action;
}

function valueText(value: unknown): string {
  if (value == null || value === "") return "–";
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ") || "–";
  return typeof value === "object" ? toYAML(value).trimEnd() : String(value);
}

/** Returns the fields of a change with their values before and after it, as text. */
export function changesOf(before: unknown, after: unknown) {
  const [old, now] = [before, after].map((fields) => (fields ?? {}) as Record<string, unknown>);
  return Object.keys({ ...old, ...now }).map((field) => ({
    field,
    before: valueText(old[field]),
    after: valueText(now[field]),
  }));
}
