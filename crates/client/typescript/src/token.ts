// Access tokens: the OAuth 2.0 client credentials grant.
import { ResponseError } from "./errors.js";
import type { PrivateKey } from "./private-key.js";

/** The type of the assertions (RFC 7523, section 2.2). */
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/** A token is renewed this long before its end, so that the token does not expire during a request. */
const MARGIN_MS = 60_000;
/** The lifetime of a token if the response does not contain a lifetime. */
const DEFAULT_LIFETIME_MS = 240_000;

interface Token {
  value: string;
  renewalMs: number;
}

/** Stores the token of a client. Concurrent requests share one token request. */
export class Tokens {
  #current: Token | undefined;
  #pending: Promise<Token> | undefined;
  readonly #request: () => Promise<unknown>;

  /** `request` sends the token request and returns the JSON of the response. */
  constructor(request: () => Promise<unknown>) {
    this.#request = request;
  }

  /** Returns a valid token. `rejected`, a token that the server no longer accepts, is not returned. */
  async token(rejected?: string): Promise<string> {
    const current = this.#current;
    if (current && current.value !== rejected && performance.now() < current.renewalMs) return current.value;
    this.#pending ??= this.#renew().finally(() => (this.#pending = undefined));
    return (await this.#pending).value;
  }

  async #renew(): Promise<Token> {
    const response = (await this.#request()) as { access_token?: unknown; expires_in?: unknown } | null;
    const value = response?.access_token;
    if (typeof value !== "string" || value === "") throw new ResponseError("the token response has no valid token");
    const seconds = Number(response?.expires_in);
    const lifetimeMs = Number.isFinite(seconds) && response?.expires_in != null ? seconds * 1_000 : DEFAULT_LIFETIME_MS;
    // A short lifetime, as in tests, is shortened by at most half.
    const renewalMs = performance.now() + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 2);
    return (this.#current = { value, renewalMs });
  }
}

/** Returns the form of a token request. Each form has a new assertion, which the server accepts once. */
export function tokenForm(clientId: string, credential: string | PrivateKey, audience: string): URLSearchParams {
  const form = { grant_type: "client_credentials", client_id: clientId };
  if (typeof credential === "string") return new URLSearchParams({ ...form, client_secret: credential });
  const assertion = credential.assertion(clientId, audience, Math.floor(Date.now() / 1_000), crypto.randomUUID());
  return new URLSearchParams({ ...form, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion });
}
