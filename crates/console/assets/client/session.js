// The session of the signed-in operator.
import { expire, hasExpired, resume } from '../api/expiry.js';
import { api, ApiError, body, one, useToken, whenEnded, whenTokenRejected } from './client.js';
import { discardDrafts } from './drafts.js';
import { useEffect, useState } from 'preact/hooks';

/** @typedef {import('./client.js').Schemas['OperatorSession']} Session */

/** The key under which the browser stores that an operator has signed in. Scripts cannot read the session itself. */
const SIGNED_IN = 'signed-in';

/** @type {Session | null | undefined} `null` means no session, and `undefined` means not known yet. */
let current;
/** @type {Set<() => void>} */
const listeners = new Set();

/** The operator to whom the input on the page belongs. */
let owner = '';

/** @param {Session | null} session */
function change(session) {
  const isOwner = session?.operatorName === owner;
  if (session && !isOwner) {
    discardDrafts();
    owner = session.operatorName;
  }
  current = session;
  useToken(session?.csrfToken ?? '');
  if (session === null) localStorage.removeItem(SIGNED_IN);
  else localStorage.setItem(SIGNED_IN, 'yes');
  resume(isOwner);
  redraw();
}

function redraw() {
  for (const listener of listeners) listener();
}

whenEnded(() => {
  if (!current) return false;
  if (hasExpired()) return true;
  expire();
  useToken('');
  localStorage.removeItem(SIGNED_IN);
  redraw();
  return true;
});

// The operator can sign in again in another tab. All tabs share the session.
window.addEventListener('storage', async ({ key, newValue }) => {
  if (!hasExpired() || key !== SIGNED_IN || newValue === null) return;
  const read = await one(api.GET('/operator/v1/sessions/current')).catch(() => undefined);
  if (read && hasExpired()) change(read.item);
});

/** Shows the sign-in page, and discards the input of the operator. */
export function leave() {
  discardDrafts();
  change(null);
}

/** The session of another operator, who has signed in in another tab of the browser. @type {Session | undefined} */
let other;

/** Returns the session of another operator who is signed in instead of the operator of this page. */
export function otherSession() {
  return other;
}

/** Hides the message about the other operator until the next write. */
export function hideOtherSession() {
  other = undefined;
  redraw();
}

whenTokenRejected(async () => {
  // The browser has one session for all tabs. This page has the token of an earlier session.
  const read = await one(api.GET('/operator/v1/sessions/current')).catch(() => undefined);
  if (!read || !current) return undefined;
  if (read.item.operatorName === current.operatorName) {
    change(read.item);
    return { token: read.item.csrfToken ?? '' };
  }
  other = read.item;
  redraw();
  const description = `nothing was stored, because ${other.operatorName} is signed in now and this page belongs to ${current.operatorName}`;
  return { fault: { code: 'API-2', description, resolution: 'Reload the page.' } };
});

/** Returns the session, and renders again whenever the session changes. */
export function useSession() {
  const [, rerender] = useState(0);
  useEffect(() => {
    const listener = () => rerender((count) => count + 1);
    listeners.add(listener);
    // The session may have changed before the listener was added.
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return current;
}

/** @typedef {Session['role']} Role */
/**
 * The area of a button or page, from the server's table of operations: company data, keys, applications and
 * the server; payroll; notifications; documents with personal data; exports.
 *
 * @typedef {'administration' | 'payroll' | 'deliveries' | 'personalData' | 'export'} Area
 */

/** The roles that may write in an area, or read in a read-only area. @type {Record<Area, readonly Role[]>} */
const ROLES = {
  administration: ['administrator'],
  payroll: ['administrator', 'payroll'],
  deliveries: ['administrator', 'support'],
  personalData: ['administrator', 'payroll', 'auditor'],
  export: ['administrator', 'payroll'],
};

/**
 * Areas that belong to no single company. A key that is restricted to companies has no access to these areas.
 *
 * @type {readonly Area[]}
 */
const OF_SERVER = ['administration', 'deliveries'];

/** Returns whether the session is restricted to some companies. */
export function isRestricted() {
  return current?.companyIds !== undefined;
}

/** Returns whether the role of the session permits the area. @param {Area} area */
function hasRole(area) {
  return current != null && ROLES[area].includes(current.role);
}

/**
 * Returns whether the session may write data of a company to which it has access.
 *
 * @param {'administration' | 'payroll'} area
 */
export function mayWriteInCompany(area) {
  return hasRole(area);
}

/** Returns whether the session may write in an area. @param {Area} area */
export function mayWrite(area) {
  return hasRole(area) && !(isRestricted() && OF_SERVER.includes(area));
}

/** Returns whether the session may read documents with personal data, such as the audit log. */
export function mayReadPersonalData() {
  return hasRole('personalData');
}

/** The query parameter with the result of a sign-in with the identity provider. */
const SIGN_IN = 'sign-in';
/** The result of the sign-in with the identity provider: `done`, or the reason of the failure. Empty without such a sign-in. */
let result = '';

/** Returns the reason why the sign-in with the identity provider failed, or an empty text. */
export function failedSignIn() {
  return result === 'done' ? '' : result;
}

/** Reads the result of a sign-in with the identity provider, and removes it from the address. */
function readResult() {
  const address = new URL(location.href);
  result = address.searchParams.get(SIGN_IN) ?? '';
  if (result === '') return;
  address.searchParams.delete(SIGN_IN);
  history.replaceState(history.state, '', address);
  if (result === 'done') localStorage.setItem(SIGNED_IN, 'yes');
}

/** Finds the browser's session if an operator has signed in. */
export async function findSession() {
  readResult();
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
}

export async function signOut() {
  try {
    await body(api.DELETE('/operator/v1/sessions/current'));
  } catch (error) {
    // An expired session has already ended, so this error does not matter.
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
  leave();
}
