import type { WebhookEvent } from "./methods.gen.js";

/** Seconds by which the time of a webhook may differ from ours. */
const tolerance = 300;

/** A webhook has no valid and recent signature. Anybody may have sent it, so do not act on it. */
export class InvalidSignature extends Error {
  override readonly name = "InvalidSignature";
}

/**
 * Verifies a webhook and returns its event. The webhook must have been signed with one of the
 * secrets within the last five minutes, otherwise it throws `InvalidSignature`. `body` must be
 * the unmodified request body. While a secret is being rotated, pass both the new and the
 * previous secret.
 *
 * The service sends a webhook again until it is acknowledged with a 2xx status, so the same
 * event may arrive more than once, with the same header `webhook-id`.
 *
 * @param headers the request's headers, as `Headers` or as the object of `node:http`
 */
export async function verifyWebhook(
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string | Uint8Array | ArrayBuffer,
  ...secrets: string[]
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headers instanceof Headers ? headers.get(name) : headers[name],
  );
  if (secrets.length === 0) throw new TypeError("no webhook secret was given");
  const keys = await Promise.all(secrets.map(importSecret));
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= tolerance)) {
    throw new InvalidSignature("the webhook has no timestamp of the last five minutes");
  }
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
  const prefix = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  for (const signature of String(signatures).split(" ")) {
    const tag = signature.startsWith("v1,") ? decodeBase64(signature.slice(3)) : undefined;
    for (const key of tag ? keys : []) {
      if (await crypto.subtle.verify("HMAC", key, tag!, signed)) return JSON.parse(new TextDecoder().decode(bytes));
    }
  }
  throw new InvalidSignature("the webhook is not signed with the secret");
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const key = decodeBase64(secret.replace(/^whsec_/, ""));
  // Anybody can sign with an empty secret. The message must not contain the secret.
  if (!key?.length) throw new TypeError("a webhook secret is not of the form whsec_…");
  return crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
