/** One error of a rejected request. */
export interface ApiError {
  /** The code, such as `API-55`, for programs. */
  code: string;
  /** The description of the error, for people. */
  description: string;
  /** The advice for resolving the error. */
  resolution?: string;
  /** The position in the request body as a JSON Pointer (RFC 6901), such as `/0/workerId`. */
  pointer?: string;
  /** The correlation id of the check that has the error. */
  correlationId?: string;
}

/** The base class of all errors of this client. No message contains the secret or a token. */
export class PayrollError extends Error {
  override name = "PayrollError";
}

/** The server has rejected the request. */
export class RejectedError extends PayrollError {
  override name = "RejectedError";

  constructor(
    /** The HTTP status, such as 400. */
    readonly status: number,
    /** All errors in the order of the request body. Empty if the response has no error envelope. */
    readonly errors: readonly ApiError[],
    /** The id of the request, by which the operator of the server can find it in the log. */
    readonly requestId: string | undefined,
    /** The time to wait before the next attempt, if the response has a `Retry-After`. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(text(status, errors));
  }

  /** Returns whether the response has an API code such as `API-55`. */
  hasCode(code: string): boolean {
    return this.errors.some((error) => error.code === code);
  }
}

/** The server has stored some objects of the request and rejected the others (status 207). */
export class PartlyRejectedError extends RejectedError {
  override name = "PartlyRejectedError";

  constructor(
    /** The stored objects in the order of the request body. */
    readonly stored: readonly unknown[],
    errors: readonly ApiError[],
    requestId: string | undefined,
  ) {
    super(207, errors, requestId, undefined);
  }
}

/** No complete response arrived. `sent` is false if the request has certainly not reached the server. */
export class ConnectionError extends PayrollError {
  override name = "ConnectionError";

  constructor(message: string, readonly sent: boolean, options?: ErrorOptions) {
    super(message, options);
  }
}

/** The response did not arrive within the time limit of an attempt. */
export class TimedOutError extends PayrollError {
  override name = "TimedOutError";
}

/** The response does not match the API description. */
export class ResponseError extends PayrollError {
  override name = "ResponseError";
}

/** The maximum number of errors in a message. A batch can have hundreds of errors. */
const MAX_SHOWN = 5;

function text(status: number, errors: readonly ApiError[]): string {
  const shown = errors.slice(0, MAX_SHOWN).map((it) => `${it.code} ${it.description}${it.pointer ? ` (${it.pointer})` : ""}`);
  const more = errors.length > MAX_SHOWN ? `, and ${errors.length - MAX_SHOWN} more errors` : "";
  return `status ${status}${shown.length > 0 ? ": " : ""}${shown.join(", ")}${more}`;
}
