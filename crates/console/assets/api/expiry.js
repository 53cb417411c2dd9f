// Keeps a page and its input when its session or token expires. Requests wait until the user has signed in again.

/** The class that hides the page, but not the dialog in which the user signs in. */
const HIDDEN = 'expired-page';

let expired = false;
/** Number of sign-ins of the page. A rejected request of an earlier sign-in says nothing about the current one. */
let signIns = 0;
/** Number of users of the page. The requests of an earlier user are never sent again. */
let users = 1;
/** Resumes the requests that wait for the next sign-in. @type {Set<() => void>} */
const waiting = new Set();

/** @typedef {{copy: Request, signIns: number, users: number}} Sent */
/** Sent requests with a copy, since the body of a request can be sent only once. @type {WeakMap<Request, Sent>} */
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
 * @param {boolean} isOwner Whether to send the waiting requests. Those of another user's page are never sent.
 */
export function resume(isOwner) {
  expired = false;
  document.documentElement.classList.remove(HIDDEN);
  signIns += 1;
  if (isOwner) waiting.forEach((send) => send());
  else users += 1;
  waiting.clear();
}

/** Waits while the page has no valid session or token. @returns {Promise<void>} */
export function resumed() {
  return expired ? new Promise((send) => waiting.add(send)) : Promise.resolve();
}

/** Keeps a copy of a request that is about to be sent. @param {Request} request */
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
 * @param {Request} request A request of which a copy was kept.
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
