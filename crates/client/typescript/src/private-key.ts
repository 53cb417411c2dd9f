// Private keys, which sign token requests instead of using a secret (private_key_jwt, RFC 7523).
import { base64url, type KeyObject, type NodeCrypto, nodeCrypto } from "./crypto.js";

/**
 * The seconds until an assertion expires. The server accepts at most 600. A short time limits the misuse of a
 * stolen assertion.
 */
const LIFETIME_SECONDS = 60;
/** The sizes of RSA keys in bits that the packages in all languages support. */
const RSA_BITS = [2_048, 3_072, 4_096];

type Algorithm = "EdDSA" | "ES256" | "RS256";

/** The required members of a public key, in the order of RFC 7638. */
const MEMBERS = { EdDSA: ["crv", "kty", "x"], ES256: ["crv", "kty", "x", "y"], RS256: ["e", "kty", "n"] } as const;

/**
 * A private key that signs token requests instead of using a secret. Requires `node:crypto`.
 *
 * ```ts
 * const privateKey = await PrivateKey.from(await readFile("private-key.pem", "utf8"));
 * const payroll = new PayrollClient({ baseUrl, clientId, privateKey });
 * ```
 */
export class PrivateKey {
  /** The id of the key: the thumbprint of the public key (RFC 7638). The server shows it as `kid`. */
  readonly keyId: string;
  /** The public key as a JSON web key, which an operator registers. */
  readonly publicJwk: string;
  readonly #algorithm: Algorithm;
  readonly #sign: (message: Uint8Array) => Uint8Array;

  private constructor(algorithm: Algorithm, publicJwk: string, keyId: string, sign: (message: Uint8Array) => Uint8Array) {
    this.#algorithm = algorithm;
    this.publicJwk = publicJwk;
    this.keyId = keyId;
    this.#sign = sign;
  }

  /**
   * Reads an unencrypted key in PEM (PKCS#8), or a `KeyObject` of `node:crypto`. The key must be Ed25519,
   * P-256, or RSA with 2048, 3072 or 4096 bits. Its algorithm is EdDSA, ES256 or RS256.
   * @throws {TypeError} The key has another format or type. The message never contains a part of the key.
   */
  static async from(key: string | KeyObject): Promise<PrivateKey> {
    const crypto = await nodeCrypto();
    const object = typeof key === "string" ? parsed(crypto, key) : key;
    const algorithm = algorithmOf(object);
    if (!object || !algorithm) throw new TypeError("expected a private key of type Ed25519, P-256, or RSA with 2048, 3072 or 4096 bits");
    const jwk = crypto.createPublicKey(object).export({ format: "jwk" });
    const publicJwk = JSON.stringify(Object.fromEntries(MEMBERS[algorithm].map((name) => [name, jwk[name]] as const)));
    // The thumbprint is the hash of exactly this text.
    const hash = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(publicJwk));
    return new PrivateKey(algorithm, publicJwk, base64url(new Uint8Array(hash)), (message) => signature(crypto, algorithm, object, message));
  }

  /**
   * Signs an assertion for one token request. `now` is in seconds since 1970. `jti` must be new.
   * @internal
   */
  assertion(clientId: string, audience: string, now: number, jti: string): string {
    const header = { alg: this.#algorithm, kid: this.keyId, typ: "JWT" };
    const claims = { iss: clientId, sub: clientId, aud: audience, exp: now + LIFETIME_SECONDS, jti };
    const encode = (part: object) => base64url(new TextEncoder().encode(JSON.stringify(part)));
    const signed = `${encode(header)}.${encode(claims)}`;
    return `${signed}.${base64url(this.#sign(new TextEncoder().encode(signed)))}`;
  }
}

function signature(crypto: NodeCrypto, algorithm: Algorithm, key: KeyObject, message: Uint8Array): Uint8Array {
  switch (algorithm) {
    case "EdDSA":
      return crypto.sign(null, message, key);
    case "ES256":
      return crypto.sign("sha256", message, { key, dsaEncoding: "ieee-p1363" });
    case "RS256":
      return crypto.sign("sha256", message, key);
  }
}

function algorithmOf(key: KeyObject | undefined): Algorithm | undefined {
  const { type, asymmetricKeyType, asymmetricKeyDetails } = key ?? {};
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  if (type !== "private") return undefined;
  if (asymmetricKeyType === "ed25519") return "EdDSA";
  if (asymmetricKeyType === "ec" && namedCurve === "prime256v1") return "ES256";
  return asymmetricKeyType === "rsa" && RSA_BITS.includes(modulusLength) ? "RS256" : undefined;
}

/** Reads a key in PEM. Undefined if it is damaged. For other formats, the error explains the conversion. */
function parsed(crypto: NodeCrypto, pem: string): KeyObject | undefined {
  // The error only shows the label, because the text can be a secret.
  const label = /-----BEGIN (?:([A-Z ]{0,32})-----)?/.exec(pem)?.[1];
  if (label !== "PRIVATE KEY") {
    const advice = label?.endsWith("PRIVATE KEY") ? ": convert it with openssl pkey" : "";
    const got = label ? `BEGIN ${label}${advice}` : "a text without BEGIN";
    throw new TypeError(`expected a private key in the PEM format (BEGIN PRIVATE KEY), got ${got}`);
  }
  try {
    return crypto.createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
