// The client of the operator API. Its paths, parameters and bodies are checked against the API description.
import createClient from 'openapi-fetch';
import { afterSignIn, copyOf, keepCopy, resumed } from '../api/expiry.js';
import { failure } from '../api/http.js';

export { ApiError, body, content, failure, idempotencyKey, ifFound, linked, one, page } from '../api/http.js';

/** @typedef {import('../../types/operator').paths} Paths */
/** @typedef {import('../../types/operator').components['schemas']} Schemas */

/** The base URL of the page, without the slash at its end. A proxy can add a prefix. */
export const base = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** The token that the session needs for write requests. */
let csrfToken = '';
/** Called when the server rejects the session. Returns whether the page waits for a new session. */
let ended = () => false;

/** @param {string} token */
export function useToken(token) {
  csrfToken = token;
}

/** @param {() => boolean} listener */
export function whenEnded(listener) {
  ended = listener;
}

/**
 * Called when a write was rejected because of its token. Returns the operator's new token, or the fault to
 * show if another operator is signed in.
 *
 * @typedef {() => Promise<{token: string} | {fault: import('../api/http.js').Fault} | undefined>} TokenListener
 */

/** @type {TokenListener} */
let tokenRejected = async () => undefined;

/** @param {TokenListener} listener */
export function whenTokenRejected(listener) {
  tokenRejected = listener;
}

export const api = /** @type {import('openapi-fetch').Client<Paths>} */ (
  createClient({ baseUrl: base, credentials: 'same-origin' })
);

/** The header with the token of the session. */
const TOKEN = 'X-CSRF-Token';
/** The operation that reads and ends the session. Its requests never wait until an operator has signed in. */
const SESSION = '/operator/v1/sessions/current';

/** Returns whether a request waits for a sign-in. @param {Request} request @param {string} schemaPath */
function mayWait(request, schemaPath) {
  return schemaPath !== SESSION && !request.headers.has('Authorization');
}

/** Adds the token of the session to a write. @param {Request} request */
function authorize(request) {
  if (request.method !== 'GET' && csrfToken !== '') request.headers.set(TOKEN, csrfToken);
}

/** The session functions for repeating a rejected request after the operator has signed in again. */
const session = { ended: () => ended(), authorize };

api.use({
  async onRequest({ request, schemaPath }) {
    if (mayWait(request, schemaPath)) await resumed();
    authorize(request);
    keepCopy(request);
    return request;
  },
  async onResponse({ request, response, schemaPath }) {
    if (mayWait(request, schemaPath)) response = await afterSignIn(request, response, session);
    const copy = request.headers.has(TOKEN) ? copyOf(request) : undefined;
    return copy && response.status === 403 && (await lacksToken(response)) ? repeated(copy, response) : response;
  },
});

/** Returns whether the server rejected the token of a write. The write then had no effect. @param {Response} response */
async function lacksToken(response) {
  const { errors } = failure(response, await response.clone().json().catch(() => undefined));
  return errors.some(({ description }) => description.includes(TOKEN));
}

/**
 * Repeats a write with the operator's new token. In another tab, the operator may have signed in again, or another
 * operator may have signed in.
 *
 * @param {Request} request
 * @param {Response} response
 */
async function repeated(request, response) {
  const result = await tokenRejected();
  if (result === undefined) return response;
  if ('fault' in result) {
    return new Response(JSON.stringify({ errors: [result.fault] }), { status: response.status, headers: response.headers });
  }
  request.headers.set(TOKEN, result.token);
  return fetch(request);
}

/**
 * Lets the browser save a response of the server as a file.
 *
 * @param {string} path
 * @param {string} mediaType
 * @param {string} name
 */
export async function save(path, mediaType, name) {
  const request = new Request(`${base}${path}`, { headers: { Accept: mediaType }, credentials: 'same-origin' });
  keepCopy(request);
  const response = await afterSignIn(request, await fetch(request), session);
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
