// The session. The API client imports this module, because it ends a session that has expired.
import { computed, signal } from "@preact/signals";
import type { Session } from "./api.gen";

/** The session; null if nobody is signed in, undefined until that is known. */
export const session = signal<Session | null | undefined>(undefined);
/** The ID of the key. The key itself is in a cookie that scripts cannot read. */
export const key = computed(() => session.value?.keyId ?? "");

/** Why the session ended; "" if the user signed out. */
export const signedOutBecause = signal("");

/** Ends the session in this tab. */
export function endSession(because: string) {
  signedOutBecause.value = because;
  session.value = null;
}

/** Reports whether the key has a scope. */
export const may = (scope: Session["scopes"][number]) => !!session.value?.scopes.includes(scope);
