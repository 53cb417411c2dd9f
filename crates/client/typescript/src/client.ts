import { type ApiError, ConnectionError, PartlyRejectedError, PayrollError, RejectedError, ResponseError, TimedOutError } from "./errors.js";
import { requestTypes, responseTypes } from "./generated/media-types.js";
import type { Arguments, CommonOptions, ElementOf, Lists, Method, Operation, PathsOf, Result } from "./operations.js";
import { DEFAULT_PAGE_SIZE, elements, type EventPage, nextQuery } from "./pages.js";
import { PrivateKey } from "./private-key.js";
import { DEFAULT_ATTEMPTS, delay, FIRST_DELAY_MS, MAX_ATTEMPTS, parseRetryAfter } from "./retry.js";
import { tokenForm, Tokens } from "./token.js";

/** The default time limit of one attempt. A batch of 100 checks needs less than a second. */
const DEFAULT_TIMEOUT_MS = 30_000;
/** The maximum size of a response in bytes. Read a larger list page by page. */
const MAX_RESPONSE_BYTES = 64 * 1_024 * 1_024;
const JSON_TYPE = "application/json";
/** The media type of responses that are returned as bytes, such as a document. */
const BYTES_TYPE = "application/octet-stream";
/** The number of events in a page of the feed, which is the maximum of the server. */
const EVENTS_PER_PAGE = 1_000;
/** The codes of errors that occur before a connection is open. The request was then not sent. */
const NOT_SENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];

/** The settings of a client. */
export interface ClientOptions {
  /** The address of the server, such as `https://payroll.example.com`. */
  baseUrl: string;
  /** The API key of your application, `pkc_…`. */
  clientId: string;
  /** The secret of your application, `pks_…`. Set either this or `privateKey`. */
  clientSecret?: string | undefined;
  /** The private key of your application, which signs token requests. Set either this or `clientSecret`. */
  privateKey?: PrivateKey | undefined;
  /** The audience of signed token requests: the public address of the server, if it differs from `baseUrl`. */
  audience?: string | undefined;
  /** The maximum number of attempts for a request, from 1 to 10. The default is 4. */
  attempts?: number;
  /** The wait after the first failed attempt. The default is 500 ms. */
  firstDelayMs?: number;
  /** The time limit of one attempt. The default is 30 seconds. */
  timeoutMs?: number;
  /** The vendor's name in media types. Set it if the operator of the server has changed this name. */
  vendor?: string;
  /** Accepts an `http://` address of another machine. The secret is then sent unencrypted. */
  allowPlainHttp?: boolean;
}

/** A successful response. */
export interface PayrollResponse<T> {
  /** The value in the body. */
  data: T;
  /** The HTTP status, from 200 to 299. */
  status: number;
  /** The version of the object for `ifMatch`. Undefined for weak tags, as in lists and for a worker. */
  etag: string | undefined;
  /** The id of the request, by which the operator of the server can find it in the log. */
  requestId: string | undefined;
  /** Whether the server has replayed the response to an earlier request with the same idempotency key. */
  replayed: boolean;
}

interface Plain extends CommonOptions {
  path?: Record<string, unknown>;
  query?: Record<string, unknown> | URLSearchParams;
  body?: unknown;
}

/**
 * A client of one application. The client requests a token before the first request, and renews the token
 * before it expires.
 *
 * ```ts
 * const payroll = new PayrollClient({ baseUrl, clientId, clientSecret });
 * for await (const company of payroll.list("/companies")) console.log(company.legalName);
 * ```
 */
export class PayrollClient {
  readonly #base: string;
  readonly #attempts: number;
  readonly #firstDelayMs: number;
  readonly #timeoutMs: number;
  readonly #vendor: string;
  readonly #tokens: Tokens;

  constructor(options: ClientOptions) {
    this.#base = checkedBase(options);
    this.#attempts = options.attempts ?? DEFAULT_ATTEMPTS;
    if (!Number.isInteger(this.#attempts) || this.#attempts < 1 || this.#attempts > MAX_ATTEMPTS) {
      throw new TypeError(`attempts must be from 1 to ${MAX_ATTEMPTS}, got ${this.#attempts}`);
    }
    this.#firstDelayMs = options.firstDelayMs ?? FIRST_DELAY_MS;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#vendor = options.vendor ?? "vendor";
    const { clientId, clientSecret, privateKey, audience = options.baseUrl.replace(/\/+$/, "") } = options;
    const credential = clientSecret ?? privateKey;
    if (credential === undefined || (clientSecret !== undefined && privateKey !== undefined)) {
      throw new TypeError("expected either clientSecret or privateKey");
    }
    // Otherwise a text would be sent as a secret.
    if (privateKey !== undefined && !(privateKey instanceof PrivateKey)) {
      throw new TypeError("expected privateKey: await PrivateKey.from(…)");
    }
    this.#tokens = new Tokens(async () => {
      const body = tokenForm(clientId, credential, audience);
      return (await this.#exchange(`${this.#base}/auth/oauth/v2/token`, { method: "POST", body }, false)).data;
    });
  }

  /** Sends a GET request and returns the value of the response. */
  async get<P extends PathsOf<"get">>(path: P, ...options: Arguments<Operation<P, "get">>): Promise<Result<Operation<P, "get">>> {
    return (await this.request("get", path, ...options)).data;
  }

  /** Sends a POST request. Its retries are safe, because it has an idempotency key. */
  async post<P extends PathsOf<"post">>(path: P, ...options: Arguments<Operation<P, "post">>): Promise<Result<Operation<P, "post">>> {
    return (await this.request("post", path, ...options)).data;
  }

  /** Sends a PATCH request and returns the value of the response. */
  async patch<P extends PathsOf<"patch">>(path: P, ...options: Arguments<Operation<P, "patch">>): Promise<Result<Operation<P, "patch">>> {
    return (await this.request("patch", path, ...options)).data;
  }

  /** Sends a DELETE request. If the response of a successful request is lost, the retry is 404. */
  async delete<P extends PathsOf<"delete">>(path: P, ...options: Arguments<Operation<P, "delete">>): Promise<Result<Operation<P, "delete">>> {
    return (await this.request("delete", path, ...options)).data;
  }

  /** Sends a request and returns the response with its headers. */
  async request<M extends Method, P extends PathsOf<M>>(
    method: M,
    path: P,
    ...options: Arguments<Operation<P, M>>
  ): Promise<PayrollResponse<Result<Operation<P, M>>>> {
    const response = await this.#send(method, path as string, (options[0] ?? {}) as Plain);
    return response as PayrollResponse<Result<Operation<P, M>>>;
  }

  /**
   * Reads all elements of a list, page by page. Each page is a separate snapshot. If an element is added or
   * deleted between two pages, other elements can move to the next or previous page.
   */
  list<P extends Lists>(path: P, ...options: Arguments<Operation<P & PathsOf<"get">, "get">>): AsyncGenerator<ElementOf<P>, void, undefined> {
    const plain = (options[0] ?? {}) as Plain;
    const query = searchParams({ limit: DEFAULT_PAGE_SIZE, ...plain.query });
    const read = async (query: URLSearchParams) => (await this.#send("get", path, { ...plain, query })).data;
    return elements(query, read as Parameters<typeof elements>[1]) as AsyncGenerator<ElementOf<P>, void, undefined>;
  }

  /**
   * Reads the events after a cursor, or from the beginning of the feed, which goes back 90 days. Call this
   * method again with the cursor of the page. Call it immediately if the page has events, otherwise later.
   */
  async events(cursor?: string): Promise<EventPage> {
    const query = { limit: EVENTS_PER_PAGE, ...(cursor === undefined ? {} : { after: cursor }) };
    const page = await this.get("/management/events", { query });
    return { events: page.content, cursor: nextQuery(page)?.get("after") ?? undefined };
  }

  async #send(method: Method, path: string, options: Plain): Promise<PayrollResponse<unknown>> {
    const url = this.#url(path, options);
    const init = this.#init(method, path, options);
    const isBytes = responseTypes[operationKey(method, path)] === BYTES_TYPE;
    let rejected: string | undefined;
    for (let attempt = 1; ; ) {
      let token: string | undefined;
      try {
        token = await this.#tokens.token(rejected);
        const headers = { ...init.headers, authorization: `Bearer ${token}` };
        return await this.#exchange(url, { ...init, headers }, isBytes, options.signal);
      } catch (error) {
        if (error instanceof RejectedError && error.status === 401 && token !== undefined && rejected === undefined) {
          // The token has become invalid, so the client renews the token once.
          rejected = token;
          continue;
        }
        const wait = delay(attempt, this.#attempts, this.#firstDelayMs, error, method !== "patch");
        if (wait === undefined) throw error;
        await sleep(wait, options.signal);
        attempt += 1;
      }
    }
  }

  #url(path: string, options: Plain): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = options.path?.[name];
      // A segment such as `..` would refer to another operation.
      if (value === undefined || ["", ".", ".."].includes(String(value))) throw new TypeError(`expected an id for ${name}`);
      return encodeURIComponent(String(value));
    });
    const query = searchParams(options.query ?? {}).toString();
    return this.#base + filled + (query === "" ? "" : `?${query}`);
  }

  #init(method: Method, path: string, options: Plain): RequestInit & { headers: Record<string, string> } {
    const key = operationKey(method, path);
    const accept = options.accept ?? this.#mediaType(responseTypes[key]);
    const headers: Record<string, string> = { accept, ...options.headers };
    const init: RequestInit & { headers: Record<string, string> } = { method: method.toUpperCase(), headers };
    if (options.body !== undefined) {
      headers["content-type"] = this.#mediaType(requestTypes[key]);
      init.body = JSON.stringify(options.body);
    }
    if (method === "post") headers["idempotency-key"] = options.idempotencyKey ?? crypto.randomUUID();
    if (options.ifMatch !== undefined) headers["if-match"] = options.ifMatch;
    return init;
  }

  #mediaType(type = JSON_TYPE): string {
    return type.replace("/vnd.vendor.", `/vnd.${this.#vendor}.`);
  }

  async #exchange(url: string, init: RequestInit, isBytes: boolean, signal?: AbortSignal): Promise<PayrollResponse<unknown>> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      // A redirect could send the token to another server.
      const all = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const response = await fetch(url, { ...init, redirect: "manual", signal: all });
      return await received(response, isBytes);
    } catch (error) {
      if (signal?.aborted) throw error;
      if (timeout.aborted) throw new TimedOutError(`no response within ${this.#timeoutMs} ms`);
      if (error instanceof PayrollError) throw error;
      const code = (error as { cause?: { code?: string } }).cause?.code ?? "";
      throw new ConnectionError(`no complete response ${code}`.trim(), !NOT_SENT.includes(code), { cause: error });
    }
  }
}

/** The key of an operation in the generated tables of media types. */
function operationKey(method: Method, path: string): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Reads a response. An error status becomes an exception with its codes. `isBytes` returns the bytes. */
async function received(response: Response, isBytes: boolean): Promise<PayrollResponse<unknown>> {
  const bytes = await limitedBody(response);
  const { status, headers } = response;
  const requestId = [...headers].find(([name]) => name.endsWith("-txid"))?.[1];
  const isJson = headers.get("content-type")?.includes("json") ?? false;
  if (status >= 400) {
    const retryAfterMs = parseRetryAfter(headers.get("retry-after"), Date.now());
    throw new RejectedError(status, isJson ? errorsIn(bytes) : [], requestId, retryAfterMs);
  }
  if (!response.ok) throw new ResponseError(`status ${status} is neither a success nor an error`);
  const data = isBytes ? bytes : isJson ? parsed(bytes) : bytes.length > 0 ? bytes : undefined;
  if (status === 207) throw new PartlyRejectedError(contentOf(data), errorsIn(bytes), requestId);
  // A weak tag never matches in If-Match.
  const etag = headers.get("etag")?.match(/^".*"$/)?.[0];
  const replayed = headers.get("idempotent-replayed") === "true";
  return { data, status, etag, requestId, replayed };
}

async function limitedBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (let chunk; (chunk = (await reader?.read())?.value); ) {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new ResponseError(`the response has more than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // The text of the error could contain a token.
    throw new ResponseError("the response is not valid JSON");
  }
}

function contentOf(data: unknown): unknown[] {
  const content = (data as { content?: unknown } | null | undefined)?.content;
  return Array.isArray(content) ? content : [];
}

function errorsIn(bytes: Uint8Array): ApiError[] {
  try {
    const { errors } = JSON.parse(new TextDecoder().decode(bytes)) as { errors?: unknown };
    return Array.isArray(errors) ? errors : [];
  } catch {
    return [];
  }
}

/** Creates a query. A list becomes a repeated parameter, and undefined members are omitted. */
function searchParams(query: Record<string, unknown> | URLSearchParams): URLSearchParams {
  if (query instanceof URLSearchParams) return query;
  const pairs = Object.entries(query).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((it) => [name, it] as const));
  return new URLSearchParams(pairs.filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]));
}

function checkedBase(options: ClientOptions): string {
  const url = new URL(options.baseUrl);
  const isLocal = ["localhost", "[::1]"].includes(url.hostname) || /^127\.[0-9.]+$/.test(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && (isLocal || options.allowPlainHttp))) {
    throw new TypeError("baseUrl must begin with https://, or set allowPlainHttp in a trusted network");
  }
  if (url.username || url.search || url.hash) throw new TypeError("baseUrl must have no user, query or fragment");
  return url.href.replace(/\/+$/, "");
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done() {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }
    function aborted() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    if (signal?.aborted) aborted();
    else signal?.addEventListener("abort", aborted);
  });
}
