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

/** @typedef {Session['role']} Role */
/**
 * What a button or a page is about, as the server's table of operations has it: company data, keys, applications and
 * the server; payroll; notifications; documents with personal data; exports.
 *
 * @typedef {'administration' | 'payroll' | 'deliveries' | 'personalData' | 'export'} Area
 */

/** The roles that may write, or read where an area is only read. @type {Record<Area, readonly Role[]>} */
const ROLES = {
  administration: ['administrator'],
  payroll: ['administrator', 'payroll'],
  deliveries: ['administrator', 'support'],
  personalData: ['administrator', 'payroll', 'auditor'],
  export: ['administrator', 'payroll'],
};

/** Areas of no single company, which a key that is restricted to companies does not reach. @type {readonly Area[]} */
const OF_SERVER = ['administration', 'deliveries'];

/** Whether the session is restricted to some companies. */
export function isRestricted() {
  return current?.companyIds !== undefined;
}

/** Whether the role of the session may do that. @param {Area} area */
function hasRole(area) {
  return current != null && ROLES[area].includes(current.role);
}

/** Whether the session may write what belongs to a company that it reaches. @param {'administration' | 'payroll'} area */
export function mayWriteInCompany(area) {
  return hasRole(area);
}

/** Whether the session may write. @param {Area} area */
export function mayWrite(area) {
  return hasRole(area) && !(isRestricted() && OF_SERVER.includes(area));
}

/** Whether the session may read documents with personal data, such as the audit log. */
export function mayReadPersonalData() {
  return hasRole('personalData');
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
