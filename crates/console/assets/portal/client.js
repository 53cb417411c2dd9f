// The client of the partner API, with the access token of who is signed in. The token is in the memory of the
// page and nowhere else, so that it ends with the page; the secret is not even there once it is exchanged.
import createClient from 'openapi-fetch';
import { useEffect, useState } from 'preact/hooks';
import { body } from '../api/http.js';

/** @typedef {import('../../types/partner').paths} Paths */
/** @typedef {import('../../types/partner').components['schemas']} Schemas */
/** @typedef {{clientId: string, scopes: string[]}} Caller */

/** What the portal stands below, without the slash at its end. */
export const base = new URL('..', document.baseURI).href.replace(/\/$/, '');

/** The word in media types. */
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

/** Who is signed in, as it is now and whenever it changes. */
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

/** Forgets the token, which ends by itself within its hour. */
export function signOut() {
  change(null, '');
}
