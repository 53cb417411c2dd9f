// Reads the payroll register of a pay period.
import { api, page } from './client.js';

/** @typedef {import('./client.js').Schemas['RegisterCheck']} Check */
/** @typedef {{companyId: string, payPeriodId: string}} Path */

/** Page size for loading all checks. */
const PAGE = 1000;

/** Returns the name of the check's worker. @param {Check} check */
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

/** Reads every check of the period, one page after the other. @param {Path} path @returns {AsyncGenerator<Check[]>} */
export async function* registerPages(path) {
  for (let offset = 0; ; ) {
    const { items, total } = await registerPage(path, offset, PAGE);
    yield items;
    offset += items.length;
    if (items.length === 0 || offset >= total) return;
  }
}

/** Reads every check of the period. @param {Path} path @returns {Promise<Check[]>} */
export async function entireRegister(path) {
  /** @type {Check[]} */
  const checks = [];
  for await (const items of registerPages(path)) checks.push(...items);
  return checks;
}
