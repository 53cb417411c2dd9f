// Verification of notifications according to Standard Webhooks (v1 and v1a).
import { base64url, nodeCrypto } from "./crypto.js";
import type { Notification } from "./generated/api.js";

/** The maximum difference between the timestamp of a notification and the clock. It limits replay attacks. */
export const TOLERANCE_SECONDS = 300;
/**
 * The maximum number of signatures of each version that are checked. The server sends one for each of at most
 * two secrets, and one for each of its few key pairs.
 */
const MAX_SIGNATURES = 8;
/** The prefix of a public key of the server. */
const PUBLIC_PREFIX = "whpk_";
/** The lengths of an Ed25519 public key and of a signature in bytes. */
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

type Bytes = Uint8Array<ArrayBuffer>;

/** The headers of a request, as an object of Node.js or of `fetch`. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

/** The notification must be rejected. Respond with status 401. */
export class VerificationError extends Error {
  override name = "VerificationError";
}

/**
 * Verifies the signatures of notifications with the signing secrets of a hook (`whsec_…`), or with the public
 * keys of the server (`whpk_…`). Public keys require `node:crypto`. One matching signature is sufficient.
 */
export class Verifier {
  readonly #secrets: Promise<CryptoKey[]>;
  readonly #publicKeys: readonly Bytes[];

  /**
   * Pass all public keys of `/.well-known/webhook-keys`. While a secret is being rotated, pass the old and
   * the new secret.
   */
  constructor(...keys: readonly string[]) {
    if (keys.length === 0) throw new TypeError("expected at least one signing secret or public key");
    this.#publicKeys = keys.filter((it) => it.startsWith(PUBLIC_PREFIX)).map(decodePublicKey);
    const bytes = keys.filter((it) => !it.startsWith(PUBLIC_PREFIX)).map(decodeSecret);
    this.#secrets = Promise.all(
      bytes.map((key) => crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])),
    );
    // `verify` reports this error.
    this.#secrets.catch(() => {});
  }

  /**
   * Verifies a notification and returns its content. `body` must be the received bytes.
   * @throws {VerificationError} The notification must be rejected.
   */
  async verify(headers: Headers, body: Uint8Array | string, nowMs: number = Date.now()): Promise<Notification> {
    const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => header(headers, `webhook-${name}`));
    if (!/^[0-9]{1,12}$/.test(timestamp!) || Math.abs(Math.floor(nowMs / 1_000) - Number(timestamp)) > TOLERANCE_SECONDS) {
      throw new VerificationError(`webhook-timestamp is not within ${TOLERANCE_SECONDS} seconds of the current time`);
    }
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
    if ((await this.#hasSecretSigned(signed, signatures!)) || (await this.#hasServerSigned(signed, signatures!))) return content(bytes);
    throw new VerificationError("no signature of the notification matches a key of the verifier");
  }

  async #hasSecretSigned(signed: Bytes, signatures: string): Promise<boolean> {
    for (const key of await this.#secrets) {
      for (const signature of decodeSignatures(signatures, "v1,")) {
        // `verify` takes constant time, so its duration reveals nothing about the signature.
        if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
      }
    }
    return false;
  }

  async #hasServerSigned(signed: Bytes, signatures: string): Promise<boolean> {
    if (this.#publicKeys.length === 0) return false;
    const { createPublicKey, verify } = await nodeCrypto();
    const given = decodeSignatures(signatures, "v1a,").filter((it) => it.length === SIGNATURE_BYTES);
    return this.#publicKeys.some((bytes) => {
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: base64url(bytes) }, format: "jwk" });
      return given.some((it) => verify(null, signed, key, it));
    });
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

function decodeSecret(secret: string): Bytes {
  const key = decode(secret.replace(/^whsec_/, ""));
  if (!key || key.length === 0) {
    throw new TypeError("expected a signing secret: whsec_ followed by base64, or a public key: whpk_ followed by base64");
  }
  return key;
}

function decodePublicKey(text: string): Bytes {
  const key = decode(text.slice(PUBLIC_PREFIX.length));
  if (key?.length !== PUBLIC_KEY_BYTES) throw new TypeError("expected a public key: whpk_ followed by the base64 of 32 bytes");
  return key;
}

/** Returns the first signatures of a version. Signatures in invalid base64 are omitted. */
function decodeSignatures(header: string, prefix: string): Bytes[] {
  const encoded = header.split(" ").filter((it) => it.startsWith(prefix));
  return encoded.slice(0, MAX_SIGNATURES).flatMap((it) => decode(it.slice(prefix.length)) ?? []);
}

function decode(base64: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(base64), (it) => it.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(one: Uint8Array, other: Uint8Array): Bytes {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
