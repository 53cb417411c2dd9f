// The client of the operator API. Paths, parameters and bodies are checked against its description.
import createClient from 'openapi-fetch';
import { failure } from '../api/http.js';

export { ApiError, body, content, failure, idempotencyKey, linked, one, page } from '../api/http.js';

/** @typedef {import('../../types/operator').paths} Paths */
/** @typedef {import('../../types/operator').components['schemas']} Schemas */

/** What a page of a server behind a proxy is below, without the slash at its end. */
export const base = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** The token that a request of the session needs when it writes. */
let csrfToken = '';
/** Called when the session is worth nothing any more. */
let ended = () => {};

/** @param {string} token */
export function useToken(token) {
  csrfToken = token;
}

/** @param {() => void} listener */
export function whenEnded(listener) {
  ended = listener;
}

export const api = /** @type {import('openapi-fetch').Client<Paths>} */ (
  createClient({ baseUrl: base, credentials: 'same-origin' })
);

api.use({
  onRequest({ request }) {
    if (request.method !== 'GET' && csrfToken !== '') request.headers.set('X-CSRF-Token', csrfToken);
    return request;
  },
  onResponse({ request, response }) {
    if (response.status === 401 && !request.headers.has('Authorization')) ended();
    return response;
  },
});

/**
 * Has the browser save what the server writes as a file.
 *
 * @param {string} path
 * @param {string} mediaType
 * @param {string} name
 */
export async function save(path, mediaType, name) {
  const response = await fetch(`${base}${path}`, { headers: { Accept: mediaType }, credentials: 'same-origin' });
  if (response.status === 401) ended();
  if (!response.ok) throw failure(response, await response.json().catch(() => undefined));
  saveBlob(await response.blob(), name);
}

/**
 * Has the browser save a text as a file.
 *
 * @param {string} text
 * @param {string} mediaType
 * @param {string} name
 */
export function saveText(text, mediaType, name) {
  saveBlob(new Blob([text], { type: mediaType }), name);
}

/** @param {Blob} blob @param {string} name */
function saveBlob(blob, name) {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), SAVING);
}

/** Milliseconds after which the browser has taken what it saves. */
const SAVING = 60_000;
