// The client of the partner API with the caller's access token. Only the memory of the page contains the
// token, so it is lost with the page. The secret is not kept after the exchange.
import createClient from 'openapi-fetch';
import { useEffect, useState } from 'preact/hooks';
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
  current = caller;
  token = accessToken;
  for (const listener of listeners) listener();
}

export const api = /** @type {import('openapi-fetch').Client<Paths>} */ (
  createClient({ baseUrl: base, credentials: 'omit' })
);

api.use({
  onRequest({ request }) {
    if (token !== '') request.headers.set('Authorization', `Bearer ${token}`);
    return request;
  },
  onResponse({ request, response }) {
    if (response.status === 401 && request.headers.has('Authorization')) signOut();
    return response;
  },
});

/** The scope without which the API rejects changes of hooks. */
const WRITE_WEBHOOKS = 'write:webhooks';

/** Returns the signed-in caller. Each sign-in has another object. */
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
  const granted = await body(api.POST('/auth/oauth/v2/token', {
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
