// `node:crypto` signs token requests, and verifies signatures with public keys. The module is loaded when a
// program first uses a key, so that the rest of the package runs without Node.js. This file declares the
// required types, so that programs do not need the types of Node.js.

/** A `KeyObject` of `node:crypto`. */
export interface KeyObject {
  readonly type: string;
  readonly asymmetricKeyType?: string | undefined;
  readonly asymmetricKeyDetails?: { modulusLength?: number | undefined; namedCurve?: string | undefined } | undefined;
}

/** A public key as a JSON web key. */
type Jwk = Record<string, string>;

/** The functions of `node:crypto` that this package uses. */
export interface NodeCrypto {
  createPrivateKey(pem: string): KeyObject;
  createPublicKey(key: KeyObject | { key: Jwk; format: "jwk" }): KeyObject & { export(options: { format: "jwk" }): Jwk };
  sign(hash: string | null, message: Uint8Array, key: KeyObject | { key: KeyObject; dsaEncoding: "ieee-p1363" }): Uint8Array;
  verify(hash: null, message: Uint8Array, key: KeyObject, signature: Uint8Array): boolean;
}

/** Loads `node:crypto` when a program first uses a key. */
export async function nodeCrypto(): Promise<NodeCrypto> {
  // Bundlers only resolve literal names, so they ignore this import.
  const name = "node:crypto";
  try {
    return (await import(name)) as NodeCrypto;
  } catch (error) {
    throw new Error("private and public keys need node:crypto, which this runtime does not have", { cause: error });
  }
}

/** Encodes bytes in base64url without padding. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
