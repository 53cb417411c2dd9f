// The client of the operator API. Paths, parameters and bodies are checked against its description.
import createClient from 'openapi-fetch';

/** @typedef {import('../../types/operator').paths} Paths */
/** @typedef {import('../../types/operator').components['schemas']} Schemas */

/** What a page of a server behind a proxy is below, without the slash at its end. */
export const base = new URL('.', document.baseURI).href.replace(/\/$/, '');

const requestIdHeader =
  document.querySelector('meta[name="request-id-header"]')?.getAttribute('content') ?? '';

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

/** A response that is no success: what the server reports, under the id of the request. */
export class ApiError extends Error {
  /**
   * @param {Response} response
   * @param {Schemas['Error'][]} errors
   */
  constructor(response, errors) {
    super(errors.map((error) => `${error.code}: ${error.description}`).join('; ') || `status ${response.status}`);
    this.status = response.status;
    this.errors = errors;
    this.requestId = response.headers.get(requestIdHeader) ?? '';
    this.retryAfter = response.headers.get('Retry-After');
  }
}

/**
 * @template Data
 * @typedef {{data?: Data, error?: unknown, response: Response}} Result
 */

/**
 * The body of a success.
 *
 * @template Data
 * @param {Promise<Result<Data>>} call
 * @returns {Promise<NonNullable<Data>>}
 */
export async function body(call) {
  const { data, error, response } = await call;
  if (response.ok) return /** @type {NonNullable<Data>} */ (data);
  throw failure(response, error);
}

/**
 * The error of a response that is no success.
 *
 * @param {Response} response
 * @param {unknown} body what it holds, if that is JSON
 */
export function failure(response, body) {
  const errors = /** @type {{errors?: Schemas['Error'][]} | undefined} */ (body)?.errors;
  return new ApiError(response, Array.isArray(errors) ? errors : []);
}

/**
 * A body that is JSON: some lists can be had as CSV too, which is not requested here.
 *
 * @template Data
 * @param {Data} data
 */
function json(data) {
  if (typeof data === 'string') throw new Error('the response is no JSON');
  return /** @type {Exclude<Data, string>} */ (data);
}

/**
 * The elements of `content` of a success.
 *
 * @template Item
 * @param {Promise<Result<{content: Item[]} | string>>} call
 * @returns {Promise<Item[]>}
 */
export async function content(call) {
  return json(await body(call)).content;
}

/**
 * The one element of `content` of a success, and the tag of the version that it has.
 *
 * @template Item
 * @param {Promise<Result<{content: Item[]} | string>>} call
 * @returns {Promise<{item: Item, tag: string}>}
 */
export async function one(call) {
  const result = await call;
  const [item] = await content(Promise.resolve(result));
  if (item === undefined) throw new Error('the response has no content');
  return { item, tag: result.response.headers.get('ETag') ?? '' };
}

/**
 * The elements of a page, and how many there are in all.
 *
 * @template Item
 * @param {Promise<Result<{content: Item[], metadata: Schemas['Metadata']} | string>>} call
 * @returns {Promise<{items: Item[], total: number}>}
 */
export async function page(call) {
  const { content: items, metadata } = json(await body(call));
  return { items, total: metadata.pagination?.total ?? items.length };
}

/**
 * The elements of a page of a list that goes on by a link, and the query of the next one.
 *
 * @template Item
 * @param {Promise<Result<{content: Item[], links: {rel: string, href: string}[]}>>} call
 * @returns {Promise<{items: Item[], next: URLSearchParams | undefined}>}
 */
export async function linked(call) {
  const { content: items, links } = await body(call);
  const next = links.find((link) => link.rel === 'next');
  return { items, next: next && new URL(next.href, base).searchParams };
}

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
  const address = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), SAVING);
}

/** Milliseconds after which the browser has taken what it saves. */
const SAVING = 60_000;

/** A key that makes a request that is sent again the same one. */
export function idempotencyKey() {
  return crypto.randomUUID();
}
