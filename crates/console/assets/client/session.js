// Who is signed in.
import { api, body, one, useToken, whenEnded } from './client.js';
import { useEffect, useState } from 'preact/hooks';

/** @typedef {import('./client.js').Schemas['OperatorSession']} Session */

/** Where the browser remembers that somebody has signed in; the session itself is hidden from scripts. */
const SIGNED_IN = 'signed-in';

/** @type {Session | null | undefined} `null`: no session; `undefined`: not known yet. */
let current;
/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {Session | null} session */
function change(session) {
  current = session;
  useToken(session?.csrfToken ?? '');
  if (session === null) localStorage.removeItem(SIGNED_IN);
  else localStorage.setItem(SIGNED_IN, 'yes');
  for (const listener of listeners) listener();
}

/** Whether a session ended without a sign-out. */
let expired = false;

/** Whether the last session expired, or its key was revoked. */
export function hasExpired() {
  return expired;
}

whenEnded(() => {
  // Several requests of a page end with it; only the first one has a session.
  if (current) expired = true;
  change(null);
});

/** The session, as it is now and whenever it changes. */
export function useSession() {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = () => redraw((count) => count + 1);
    listeners.add(listener);
    // It may have been found before anybody listened.
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return current;
}

/** Whether the session may write. */
export function mayWrite() {
  return current?.readOnly === false;
}

/** Finds the session that the browser has, if somebody has signed in. */
export async function findSession() {
  if (localStorage.getItem(SIGNED_IN) === null) return change(null);
  try {
    change((await one(api.GET('/operator/v1/sessions/current'))).item);
  } catch {
    change(null);
  }
}

/** @param {string} key */
export async function signIn(key) {
  const headers = { Authorization: `Bearer ${key}` };
  change((await one(api.POST('/operator/v1/sessions', { headers }))).item);
  expired = false;
}

export async function signOut() {
  await body(api.DELETE('/operator/v1/sessions/current'));
  change(null);
}
