// The objects to which form fields refer, and the search for these objects by name.
import { api, page } from '../client/client.js';
import { applicationName, companyName, nameOf, nameOfWorker, payPeriodName } from '../client/names.js';
import { MATCHES, matching } from '../parts/picker.js';
import { dayRange, dayText, periodTitle } from '../parts/values.js';

/** @typedef {import('../parts/picker.js').Source} Source */
/** @typedef {import('../parts/picker.js').Option} Option */
/** The company of a form, if the form belongs to one. @typedef {{companyId?: string}} Scope */

/** Maximum number of objects that are read from a company's list for a search in the browser. */
const LISTED = 1000;

/** @type {Source} */
export const companies = {
  search: async (text) => {
    const query = { limit: MATCHES, ...(text ? { name: text } : {}) };
    const { items } = await page(api.GET('/operator/v1/companies', { params: { query } }));
    return items.map((it) => ({ id: it.companyId, name: it.legalName, hint: it.displayId }));
  },
  nameOf: companyName,
};

/** @type {Source} */
export const applications = {
  search: async (text) => {
    const { items } = await page(api.GET('/operator/v1/applications', { params: { query: { limit: LISTED } } }));
    return matching(items.map((it) => ({ id: it.applicationId, name: it.name })), text);
  },
  nameOf: applicationName,
};

/** @param {string} companyId @returns {Source} */
export function workers(companyId) {
  const path = { companyId };
  return {
    search: async (text) => {
      const query = { limit: MATCHES, ...(text ? { name: text } : {}) };
      const { items } = await page(api.GET('/operator/v1/companies/{companyId}/workers', { params: { path, query } }));
      return items.map((it) => ({ id: it.workerId, name: nameOf(it), hint: it.employeeId ?? it.workerId }));
    },
    nameOf: (id) => nameOfWorker(companyId, id),
  };
}

/**
 * Returns the dates of a pay period that its title does not contain.
 *
 * @param {import('../client/client.js').Schemas['PayPeriod']} period
 */
function periodHint({ description, startDate, endDate, checkDate }) {
  const days = description === undefined ? '' : `${dayRange(startDate, endDate)} · `;
  return `${days}Check date ${dayText(checkDate)}`;
}

/** The open pay periods of a company. @param {string} companyId @returns {Source} */
export function openPeriods(companyId) {
  const all = async () => {
    const path = { companyId };
    const query = { status: [/** @type {const} */ ('ENTRY'), /** @type {const} */ ('INITIAL')], limit: LISTED };
    const { items } = await page(api.GET('/operator/v1/companies/{companyId}/payperiods', { params: { path, query } }));
    return items.map((it) => ({ id: it.payPeriodId, name: periodTitle(it), hint: periodHint(it) }));
  };
  return { search: async (text) => matching(await all(), text), nameOf: (id) => payPeriodName(companyId, id) };
}

/** The lists of a company by the member that refers to them, with path, id and name. @type {Record<string, [string, string, string]>} */
const LISTS = {
  componentId: ['paycomponents', 'componentId', 'name'],
  organizationId: ['organizations', 'organizationId', 'name'],
  parentOrganizationId: ['organizations', 'organizationId', 'name'],
  calculationBaseId: ['calculationbases', 'calculationBaseId', 'calculationBaseName'],
  contactTypeId: ['contacttypes', 'contactTypeId', 'contactTypeName'],
  customFieldId: ['customfields', 'customFieldId', 'customFieldName'],
  customEmploymentTypeId: ['customemploymenttypes', 'customEmploymentTypeId', 'customEmploymentTypeName'],
  laborAssignmentId: ['laborassignments', 'laborAssignmentId', 'name'],
  categoryId: ['customfieldscategories', 'categoryId', 'categoryName'],
  jobTitleId: ['jobtitles', 'jobTitleId', 'title'],
};

/** @param {string} companyId @param {[string, string, string]} list @returns {Source} */
function listOf(companyId, [segment, id, name]) {
  const all = async () => {
    const path = /** @type {any} */ (`/operator/v1/companies/{companyId}/${segment}`);
    const { items } = await page(/** @type {any} */ (api).GET(path, { params: { path: { companyId }, query: { limit: LISTED } } }));
    return items.map((/** @type {any} */ it) => ({ id: it[id], name: String(it[name] ?? it[id]) }));
  };
  return {
    search: async (text) => matching(await all(), text),
    nameOf: async (wanted) => (await all()).find((/** @type {Option} */ it) => it.id === wanted)?.name ?? wanted,
  };
}

/** @type {Map<string, Source>} */
const sources = new Map();

/**
 * Returns the source for a member that refers to an object, if the object can be searched.
 *
 * @param {string} name of the member
 * @param {string} ownId the member with the id of the object itself
 * @param {Scope} scope
 * @returns {Source | undefined}
 */
export function sourceOf(name, ownId, { companyId }) {
  if (name === ownId) return undefined;
  if (['companyId', 'companyIds', 'parentCompanyId'].includes(name)) return companies;
  if (!companyId) return undefined;
  const key = `${companyId}/${name}`;
  const list = LISTS[name];
  const source = sources.get(key) ?? (name === 'workerId' ? workers(companyId) : list && listOf(companyId, list));
  if (source) sources.set(key, source);
  return source;
}
