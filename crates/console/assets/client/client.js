// The client of the operator API. Its paths, parameters and bodies are checked against the API description.
import createClient from 'openapi-fetch';
import { failure } from '../api/http.js';

export { ApiError, body, content, failure, idempotencyKey, linked, one, page } from '../api/http.js';

/** @typedef {import('../../types/operator').paths} Paths */
/** @typedef {import('../../types/operator').components['schemas']} Schemas */

/** The base URL of the page, without the slash at its end. A proxy can add a prefix. */
export const base = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** The token that the session needs for write requests. */
let csrfToken = '';
/** Called when the session is no longer valid. */
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
 * Lets the browser save a response of the server as a file.
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
 * Lets the browser save a text as a file.
 *
 * @param {string} text
 * @param {string} mediaType
 * @param {string} name
 */
export function saveText(text, mediaType, name) {
  saveBlob(new Blob([text], { type: mediaType }), name);
}

/**
 * Lets the browser save data as a file.
 *
 * @param {Blob} blob
 * @param {string} name
 */
export function saveBlob(blob, name) {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), SAVING);
}

/** Time in milliseconds after which the browser has read the data to save. */
const SAVING = 60_000;
