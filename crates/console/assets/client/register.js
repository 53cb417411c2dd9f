// The payroll register of a pay period.
import { api, page } from './client.js';

/** @typedef {import('./client.js').Schemas['RegisterCheck']} Check */
/** @typedef {{companyId: string, payPeriodId: string}} Path */

/** Checks of a page where all of them are loaded. */
const PAGE = 1000;

/** The name of the worker whom a check pays. @param {Check} check */
export function workerName(check) {
  return [check.givenName, check.familyName].filter(Boolean).join(' ') || check.workerId;
}

/**
 * @param {Path} path
 * @param {number} offset
 * @param {number} limit
 */
export function registerPage(path, offset, limit) {
  return page(api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/register', {
    params: { path, query: { offset, limit } },
  }));
}

/** Every check of the period. @param {Path} path @returns {Promise<Check[]>} */
export async function entireRegister(path) {
  /** @type {Check[]} */
  const checks = [];
  for (;;) {
    const { items, total } = await registerPage(path, checks.length, PAGE);
    checks.push(...items);
    if (items.length === 0 || checks.length >= total) return checks;
  }
}
