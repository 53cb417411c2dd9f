// The parts that the clients of both APIs share: the processing of responses.

/** A fault as the server reports it. @typedef {{code: string, description: string, resolution?: string, pointer?: string, correlationId?: string}} Fault */

const requestIdHeader =
  document.querySelector('meta[name="request-id-header"]')?.getAttribute('content') ?? '';

/** The error for an unsuccessful response. It contains the reported faults and the id of the request. */
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
 * Returns the body of a successful response.
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
 * Creates the error for an unsuccessful response.
 *
 * @param {Response} response
 * @param {unknown} body the parsed body, if the response is JSON
 */
export function failure(response, body) {
  const errors = /** @type {{errors?: Fault[]} | undefined} */ (body)?.errors;
  return new ApiError(response, Array.isArray(errors) ? errors : []);
}

/**
 * Returns a JSON body. Some lists also exist as CSV, which is not requested here.
 *
 * @template Data
 * @param {Data} data
 */
function json(data) {
  if (typeof data === 'string') throw new Error('the response is not JSON');
  return /** @type {Exclude<Data, string>} */ (data);
}

/**
 * Returns the elements of `content` in a successful response.
 *
 * @template Item
 * @param {Promise<Result<{content: Item[]} | string>>} call
 * @returns {Promise<Item[]>}
 */
export async function content(call) {
  return json(await body(call)).content;
}

/**
 * Returns the single element of `content` in a successful response, and the entity tag of its version. `isRepeated`
 * means that this is the stored response of an earlier request with the same idempotency key.
 *
 * @template Item
 * @param {Promise<Result<{content: Item[]} | string>>} call
 * @returns {Promise<{item: Item, tag: string, isRepeated: boolean}>}
 */
export async function one(call) {
  const result = await call;
  const [item] = await content(Promise.resolve(result));
  if (item === undefined) throw new Error('the response has no content');
  const { headers } = result.response;
  return { item, tag: headers.get('ETag') ?? '', isRepeated: headers.get('Idempotent-Replayed') === 'true' };
}

/**
 * Returns the value of a request, or null if the server does not have the object (404). `Loaded` treats undefined as
 * a value that is still loading.
 *
 * @template Value
 * @param {Promise<Value>} request
 * @returns {Promise<Value | null>}
 */
export async function ifFound(request) {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/**
 * Returns the object in a successful response, and the entity tag of its version.
 *
 * @template Data
 * @param {Promise<Result<Data>>} call
 * @returns {Promise<{item: NonNullable<Data>, tag: string}>}
 */
export async function tagged(call) {
  const result = await call;
  return { item: await body(Promise.resolve(result)), tag: result.response.headers.get('ETag') ?? '' };
}

/**
 * Returns the elements of a page and the total number of elements.
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
 * Returns the elements of a page, and the query of the next page. The response contains a link to the next
 * page.
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

/** Creates an idempotency key, with which a retried request is executed only once. */
export function idempotencyKey() {
  return crypto.randomUUID();
}
