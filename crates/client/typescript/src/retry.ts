// Retries of failed attempts, and their limits. An attempt is repeated after status 429 or 503, after a
// timeout, and after a broken connection. A POST has an Idempotency-Key, so the server executes it only once.
// A PATCH has no such key. The client repeats a PATCH only if the server cannot have processed the request.
import { ConnectionError, RejectedError, TimedOutError } from "./errors.js";

/** The default number of attempts for a request. Three retries bridge the restart of a server. */
export const DEFAULT_ATTEMPTS = 4;
/** The maximum number of attempts. More attempts would only add load to an overloaded server. */
export const MAX_ATTEMPTS = 10;
/** The wait after the first failed attempt. The wait doubles with each further attempt. */
export const FIRST_DELAY_MS = 500;
/** The maximum wait without `Retry-After`. */
export const MAX_DELAY_MS = 8_000;
/** The maximum `Retry-After` for which the client waits. With a longer one, it throws the error. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Returns the wait before the next attempt, or undefined if the error is final. */
export function delay(attempt: number, attempts: number, firstDelayMs: number, error: unknown, repeatable: boolean): number | undefined {
  if (attempt >= attempts || !mayRepeat(error, repeatable)) return undefined;
  const named = error instanceof RejectedError ? error.retryAfterMs : undefined;
  // The random part prevents clients from retrying at the same time.
  if (named !== undefined) return named > MAX_RETRY_AFTER_MS ? undefined : named + Math.random() * firstDelayMs;
  const full = Math.min(firstDelayMs * 2 ** (attempt - 1), MAX_DELAY_MS);
  return full / 2 + (Math.random() * full) / 2;
}

function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (error instanceof TimedOutError) return repeatable;
  if (error instanceof ConnectionError) return repeatable || !error.sent;
  if (!(error instanceof RejectedError)) return false;
  switch (error.status) {
    case 429:
      return true;
    case 503:
      return repeatable;
    // The first request with this idempotency key is still in progress.
    case 409:
      return repeatable && error.retryAfterMs !== undefined;
    default:
      return false;
  }
}

/** Reads the value of `Retry-After`: a number of seconds, or a date. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\s*[0-9]+\s*$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
