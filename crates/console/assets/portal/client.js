// The client of the partner API with the caller's access token. The token is only in the memory of the page,
// and is lost when the page is closed. The secret is discarded after the token request.
import createClient from 'openapi-fetch';
import { useEffect, useState } from 'preact/hooks';
import { afterSignIn, expire, hasExpired, keepCopy, resume, resumed } from '../api/expiry.js';
import { body } from '../api/http.js';

/** @typedef {import('../../types/partner').paths} Paths */
/** @typedef {import('../../types/partner').components['schemas']} Schemas */
/** @typedef {{clientId: string, scopes: string[]}} Caller */

/** The base URL of the portal, without the slash at its end. */
export const base = new URL('..', document.baseURI).href.replace(/\/$/, '');

/** The vendor name in media types. */
export const vendor = document.querySelector('meta[name="vendor"]')?.getAttribute('content') ?? '';

let token = '';
/** @type {Caller | null} */
let current = null;
/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {Caller | null} caller @param {string} accessToken */
function change(caller, accessToken) {
  const isOwner = caller !== null && caller.clientId === current?.clientId;
  // The page does not change if the application signs in again with the same scopes.
  if (!isOwner || String(caller.scopes) !== String(current?.scopes)) current = caller;
  token = accessToken;
  resume(isOwner);
  redraw();
}

function redraw() {
  for (const listener of listeners) listener();
}

export const api = /** @type {import('openapi-fetch').Client<Paths>} */ (
  createClient({ baseUrl: base, credentials: 'omit' })
);

/** The operation that returns tokens. */
const TOKEN = '/auth/oauth/v2/token';

/** @param {Request} request */
function authorize(request) {
  request.headers.set('Authorization', `Bearer ${token}`);
}

/** Returns whether the page waits for a sign-in, because its token has expired or was revoked. */
function ended() {
  if (current === null) return false;
  if (hasExpired()) return true;
  expire();
  redraw();
  return true;
}

api.use({
  async onRequest({ request, schemaPath }) {
    if (schemaPath === TOKEN) return request;
    await resumed();
    authorize(request);
    keepCopy(request);
    return request;
  },
  onResponse: ({ request, response, schemaPath }) =>
    schemaPath === TOKEN ? response : afterSignIn(request, response, { ended, authorize }),
});

/** The scope without which the API rejects changes of hooks. */
const WRITE_WEBHOOKS = 'write:webhooks';

/** Returns the signed-in caller. Another application has another object. */
export function currentCaller() {
  return current;
}

/** Returns whether the application may change its hooks. */
export function mayWriteHooks() {
  return current?.scopes.includes(WRITE_WEBHOOKS) ?? false;
}

/** Returns the signed-in caller, and renders again whenever the caller changes. */
export function useCaller() {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = () => redraw((count) => count + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return current;
}

/** @param {string} clientId @param {string} clientSecret */
export async function signIn(clientId, clientSecret) {
  const granted = await body(api.POST(TOKEN, {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    bodySerializer: (form) => new URLSearchParams(/** @type {Record<string, string>} */ (form)).toString(),
  }));
  change({ clientId, scopes: granted.scope.split(' ').filter(Boolean) }, granted.access_token);
}

/** Clears the token, which expires within an hour. */
export function signOut() {
  change(null, '');
}
