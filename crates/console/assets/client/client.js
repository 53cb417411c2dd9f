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
/** Called when the server rejects the session. Returns whether the page waits for a new one. */
let ended = () => false;
/** Waits while the page has no valid session. @type {() => Promise<void>} */
let resumed = async () => {};

/** @param {string} token */
export function useToken(token) {
  csrfToken = token;
}

/** @param {{ended: () => boolean, resumed: () => Promise<void>}} listener */
export function whenEnded(listener) {
  ({ ended, resumed } = listener);
}

/**
 * A write was rejected because of its token. Returns the operator's new token, or the fault to show if another
 * operator is signed in.
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

/** The copies of sent writes, since the body of a request can be sent only once. @type {WeakMap<Request, Request>} */
const copies = new WeakMap();

api.use({
  async onRequest({ request, schemaPath }) {
    if (schemaPath !== SESSION && !request.headers.has('Authorization')) await resumed();
    if (request.method === 'GET' || csrfToken === '') return request;
    request.headers.set(TOKEN, csrfToken);
    copies.set(request, request.clone());
    return request;
  },
  async onResponse({ request, response, schemaPath }) {
    if (schemaPath !== SESSION && !request.headers.has('Authorization')) {
      response = await afterSignIn(copies.get(request) ?? request, response);
    }
    const copy = copies.get(request);
    return copy && response.status === 403 && (await lacksToken(response)) ? repeated(copy, response) : response;
  },
});

/**
 * Returns the response. If the session has expired, waits until the operator has signed in, and repeats the request.
 *
 * @param {Request} request
 * @param {Response} response
 */
async function afterSignIn(request, response) {
  while (response.status === 401 && ended()) {
    await resumed();
    const copy = request.clone();
    if (copy.method !== 'GET') copy.headers.set(TOKEN, csrfToken);
    response = await fetch(copy);
  }
  return response;
}

/** Returns whether the server rejected the token of a write, before it did anything. @param {Response} response */
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
  const session = await tokenRejected();
  if (session === undefined) return response;
  if ('fault' in session) {
    return new Response(JSON.stringify({ errors: [session.fault] }), { status: response.status, headers: response.headers });
  }
  request.headers.set(TOKEN, session.token);
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
  const response = await afterSignIn(request, await fetch(request.clone()));
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
