// Who is signed in. It lies below the way to the server, which ends a session that is over.
import { computed, signal } from "@preact/signals";
import type { Session } from "./api.gen";

/** Who is signed in; null for nobody, undefined while that is not known yet. */
export const session = signal<Session | null | undefined>(undefined);
/** The id of the key that signs in; the key itself is in a cookie that no script can read. */
export const key = computed(() => session.value?.keyId ?? "");

/** Why the user was signed out, "" when they did it themselves. */
export const signedOutBecause = signal("");

/** Notes that nobody is signed in any more. */
export function endSession(because: string) {
  signedOutBecause.value = because;
  session.value = null;
}

/** Whether the key that signs in may do this. */
export const may = (scope: Session["scopes"][number]) => !!session.value?.scopes.includes(scope);
