// The types of an operation, which are derived from the generated description.
import type { paths } from "./generated/api.js";

export type Method = "get" | "post" | "patch" | "delete";

/** The paths that have a method. */
export type PathsOf<M extends Method> = {
  [P in keyof paths]: P extends "/auth/oauth/v2/token" ? never : paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

export type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;

type PathOf<O> = O extends { parameters: { path: infer P extends object } } ? { path: P } : { path?: never };

type QueryOf<O> = O extends { parameters: { query: infer Q extends object } }
  ? { query: Q }
  : O extends { parameters: { query?: infer Q extends object } }
    ? { query?: Q }
    : { query?: never };

type Json<C> = C extends { "application/json": infer J } ? J : C extends { "application/octet-stream": unknown } ? Uint8Array : C[keyof C];

type BodyOf<O> = O extends { requestBody: { content: infer C } }
  ? { body: Json<C> }
  : O extends { requestBody?: { content: infer C } }
    ? { body?: Json<C> }
    : { body?: never };

/** Options that every request has. */
export interface CommonOptions {
  /** The `Idempotency-Key` of a POST. Derive it from the purpose of the request. By default, it is random. */
  idempotencyKey?: string;
  /** Executes the request only if the object still has this version. See `PayrollResponse.etag`. */
  ifMatch?: string;
  /** The media type of the response. The default is `application/json`, or the type of a file such as a document. */
  accept?: string;
  /** Additional headers, such as `x-vendor-sid`. */
  headers?: Record<string, string>;
  /** Ends the request and its retries. */
  signal?: AbortSignal;
}

export type Options<O> = CommonOptions & PathOf<O> & QueryOf<O> & BodyOf<O>;

/** The options of a request. They can be omitted if no option is required. */
export type Arguments<O> = {} extends Options<O> ? [options?: Options<O>] : [options: Options<O>];

type SuccessOf<R> = R extends { content: infer C } ? Json<C> : undefined;

/** The value of a successful response. */
export type Result<O> = O extends { responses: infer R } ? { [S in keyof R]: SuccessOf<R[S]> }[keyof R] : never;

/** The parameters for the start of a page: `offset` or the cursor `before`. Each paginated list has one. */
type PageStart = "offset" | "before";

/** The paths of paginated lists. */
export type Lists = {
  [P in PathsOf<"get">]: Operation<P, "get"> extends { parameters: { query?: infer Q } }
    ? [NonNullable<Q>] extends [never] ? never : PageStart & keyof NonNullable<Q> extends never ? never : P
    : never;
}[PathsOf<"get">];

export type ElementOf<P extends Lists> = Result<Operation<P, "get">> extends { content: (infer T)[] } ? T : never;

export type { paths };
