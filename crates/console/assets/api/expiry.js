// Preserves a page and its input when the session or token expires. Requests wait until the user has signed
// in again.

/** The class that hides the page, but not the dialog in which the user signs in. */
const HIDDEN = 'expired-page';

let expired = false;
/** Number of sign-ins. The rejection of a request from an earlier sign-in does not affect the current one. */
let signIns = 0;
/** Number of users of the page. The requests of an earlier user are never resent. */
let users = 1;
/** Resumes the requests that wait for the next sign-in. @type {Set<() => void>} */
const waiting = new Set();

/** @typedef {{copy: Request, signIns: number, users: number}} Sent */
/** Copies of sent requests, because the body of a request can be sent only once. @type {WeakMap<Request, Sent>} */
const sent = new WeakMap();

/** Returns whether the session or token has expired, so that the user must sign in again. */
export function hasExpired() {
  return expired;
}

/** Hides the page, and makes new requests wait for the next sign-in. */
export function expire() {
  expired = true;
  document.documentElement.classList.add(HIDDEN);
}

/**
 * Ends the wait after a sign-in.
 *
 * @param {boolean} isOwner Whether to send the waiting requests. Requests of another user are never sent.
 */
export function resume(isOwner) {
  expired = false;
  document.documentElement.classList.remove(HIDDEN);
  signIns += 1;
  if (isOwner) waiting.forEach((send) => send());
  else users += 1;
  waiting.clear();
}

/** Waits until the page has a valid session or token. @returns {Promise<void>} */
export function resumed() {
  return expired ? new Promise((send) => waiting.add(send)) : Promise.resolve();
}

/** Stores a copy of a request before it is sent. @param {Request} request */
export function keepCopy(request) {
  sent.set(request, { copy: request.clone(), signIns, users });
}

/** Returns the copy of a sent request. @param {Request} request */
export function copyOf(request) {
  return sent.get(request)?.copy;
}

/**
 * Returns the response. If the session or token has expired, waits until the user has signed in, and repeats the
 * request.
 *
 * @param {Request} request A request with a stored copy.
 * @param {Response} response
 * @param {{ended: () => boolean, authorize: (request: Request) => void}} page `ended` returns whether the page waits for
 *   a sign-in.
 */
export async function afterSignIn(request, response, { ended, authorize }) {
  const known = sent.get(request);
  while (known && response.status === 401) {
    if (known.users !== users || (known.signIns === signIns && !ended())) break;
    await resumed();
    known.signIns = signIns;
    const copy = known.copy.clone();
    authorize(copy);
    response = await fetch(copy);
  }
  return response;
}
