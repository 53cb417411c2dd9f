// Names for ids. Each name is read once and then cached, because most responses of the operator API contain
// only ids.
import { useEffect, useState } from 'preact/hooks';
import { periodTitle } from '../parts/values.js';
import { api, one } from './client.js';
import { isRestricted } from './session.js';

/** Maximum number of cached names. The oldest names are removed, and read again when they are needed. */
const REMEMBERED = 2000;

/** @type {Map<string, Promise<string>>} */
const names = new Map();

/**
 * Returns the name of an object, or its id if the name cannot be read.
 *
 * @param {string} key
 * @param {string} id
 * @param {() => Promise<string | undefined>} read
 */
function remembered(key, id, read) {
  const known = names.get(key);
  if (known) return known;
  const name = read().then(
    (text) => text || id,
    () => {
      names.delete(key);
      return id;
    },
  );
  names.set(key, name);
  for (const oldest of names.keys()) {
    if (names.size <= REMEMBERED) break;
    names.delete(oldest);
  }
  return name;
}

/** @param {{name?: {givenName?: string, familyName?: string}, workerId: string}} worker */
export function nameOf(worker) {
  return [worker.name?.givenName, worker.name?.familyName].filter(Boolean).join(' ') || worker.workerId;
}

/** @param {string} companyId */
export function companyName(companyId) {
  return remembered(`company/${companyId}`, companyId, async () =>
    (await one(api.GET('/operator/v1/companies/{companyId}', { params: { path: { companyId } } }))).item.legalName);
}

/** @param {string} applicationId */
export function applicationName(applicationId) {
  if (isRestricted()) return Promise.resolve(applicationId);
  return remembered(`application/${applicationId}`, applicationId, async () =>
    (await one(api.GET('/operator/v1/applications/{applicationId}', { params: { path: { applicationId } } }))).item.name);
}

/** @param {string} companyId @param {string} workerId */
export function nameOfWorker(companyId, workerId) {
  return remembered(`worker/${companyId}/${workerId}`, workerId, async () =>
    nameOf((await one(api.GET('/operator/v1/companies/{companyId}/workers/{workerId}', { params: { path: { companyId, workerId } } }))).item));
}

/** @param {string} companyId @param {string} payPeriodId */
export function payPeriodName(companyId, payPeriodId) {
  return remembered(`period/${companyId}/${payPeriodId}`, payPeriodId, async () =>
    periodTitle((await one(api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}', {
      params: { path: { companyId, payPeriodId } },
    }))).item));
}

/** Clears all cached names after an object was renamed. */
export function forgetNames() {
  names.clear();
}

/**
 * Returns the name as soon as it is known, and the id until then.
 *
 * @param {(() => Promise<string>) | undefined} read
 * @param {string} id
 */
export function useName(read, id) {
  const [name, setName] = useState(id);
  useEffect(() => {
    let current = true;
    setName(id);
    void read?.().then((text) => current && setName(text));
    return () => void (current = false);
  }, [id]);
  return name;
}
