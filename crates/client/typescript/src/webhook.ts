// Verification of notifications, by the rules of Standard Webhooks (v1).
import type { Notification } from "./generated/api.js";

/** The maximum difference between the timestamp of a notification and the clock. It limits replay attacks. */
export const TOLERANCE_SECONDS = 300;
/** The maximum number of signatures that are read. The server sends one for each of at most two secrets. */
const MAX_SIGNATURES = 8;

/** The headers of a request: those of Node.js, or those of `fetch`. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

/** The notification must be rejected. Respond with status 401. */
export class VerificationError extends Error {
  override name = "VerificationError";
}

/** Verifies the signatures of notifications with the signing secrets of a hook. */
export class Verifier {
  readonly #keys: Promise<CryptoKey[]>;

  /** Give it the old and the new secret while a secret is being rotated. */
  constructor(...secrets: readonly string[]) {
    if (secrets.length === 0) throw new TypeError("expected at least one signing secret");
    const bytes = secrets.map(decodeSecret);
    this.#keys = Promise.all(
      bytes.map((key) => crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])),
    );
    // An error is reported by `verify`.
    this.#keys.catch(() => {});
  }

  /**
   * Verifies a notification and returns its content. `body` is the body byte for byte as received.
   * @throws {VerificationError} The notification must be rejected.
   */
  async verify(headers: Headers, body: Uint8Array | string, nowMs: number = Date.now()): Promise<Notification> {
    const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => header(headers, `webhook-${name}`));
    if (!/^[0-9]{1,12}$/.test(timestamp!) || Math.abs(Math.floor(nowMs / 1_000) - Number(timestamp)) > TOLERANCE_SECONDS) {
      throw new VerificationError(`webhook-timestamp is not within ${TOLERANCE_SECONDS} seconds of the current time`);
    }
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
    const given = signatures!.split(" ").filter((it) => it.startsWith("v1,")).slice(0, MAX_SIGNATURES);
    for (const key of await this.#keys) {
      for (const signature of given.map((it) => decode(it.slice(3)))) {
        // `verify` compares in constant time.
        if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed))) return content(bytes);
      }
    }
    throw new VerificationError("no signature of the notification matches a signing secret");
  }
}

function content(body: Uint8Array): Notification {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Notification;
  } catch (error) {
    throw new VerificationError("the body is not a notification", { cause: error });
  }
}

function header(headers: Headers, name: string): string {
  const get = (headers as { get?: unknown }).get;
  const value = typeof get === "function" ? get.call(headers, name) : (headers as Record<string, unknown>)[name];
  return typeof value === "string" ? value : "";
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  const key = decode(secret.replace(/^whsec_/, ""));
  if (!key || key.length === 0) throw new TypeError("expected a signing secret: whsec_ followed by base64");
  return key;
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (it) => it.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
