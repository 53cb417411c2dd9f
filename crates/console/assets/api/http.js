// What the clients of both APIs have in common: what a response is to a page.

/** A fault, as the server reports it. @typedef {{code: string, description: string, resolution?: string, pointer?: string, correlationId?: string}} Fault */

const requestIdHeader =
  document.querySelector('meta[name="request-id-header"]')?.getAttribute('content') ?? '';

/** A response that is no success: what the server reports, under the id of the request. */
export class ApiError extends Error {
  /**
   * @param {Response} response
   * @param {Fault[]} errors
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
  const errors = /** @type {{errors?: Fault[]} | undefined} */ (body)?.errors;
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
 * @param {Promise<Result<{content: Item[], metadata: {pagination?: {total: number}}} | string>>} call
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
  return { items, next: next && new URL(next.href, document.baseURI).searchParams };
}

/** A key that makes a request that is sent again the same one. */
export function idempotencyKey() {
  return crypto.randomUUID();
}
