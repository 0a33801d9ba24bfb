// The session. The API client imports this module, because it ends a session that has expired.
import { computed, signal } from "@preact/signals";
import type { Session } from "earshot";

/** The session; null if nobody is signed in, undefined until that is known. */
export const session = signal<Session | null | undefined>(undefined);

/** Returns who is signed in to which organization. */
export const identity = ({ organizationId, keyId }: Session) => `${organizationId} ${keyId}`;

/** The identity of the session; "" for nobody. The secret is in a cookie that scripts cannot read. */
export const key = computed(() => (session.value ? identity(session.value) : ""));

/** Why the session ended; "" if the user signed out. */
export const signedOutBecause = signal("");

/** Whether another tab has switched to another organization, which this tab does not show yet. */
export const switchedElsewhere = signal(false);

/** Ends the session in this tab. */
export function endSession(because: string) {
  signedOutBecause.value = because;
  session.value = null;
}

/** Reports whether the key or user has a scope. */
export const may = (scope: Session["scopes"][number]) => !!session.value?.scopes.includes(scope);
