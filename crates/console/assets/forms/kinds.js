// The kinds of objects that forms create and edit: their paths in the API, schemas and texts.
import { api, body, idempotencyKey, one } from '../client/client.js';
import { forgetNames } from '../client/names.js';
import { mayWrite, mayWriteInCompany } from '../client/session.js';

/**
 * A kind of object. `first` contains the optional members that a form always shows. `defaults`
 * contains the values of a new object, and `hidden` the members without a field. `pathId` is the name of the
 * id in paths if it differs from the member's name. `consequence` describes the effect of a deletion.
 *
 * @typedef {{
 *   noun: string, list: string, schema: string, ownId: string, first: string[], consequence: string,
 *   defaults?: Record<string, unknown>, hidden?: string[], pathId?: string, nameOf: (object: any) => string,
 * }} ObjectKind
 */

const COMPANY = '/operator/v1/companies/{companyId}';
const WORKER = `${COMPANY}/workers/{workerId}`;
const REFERENCED = 'The deletion is rejected while other objects refer to this one.';

/** @satisfies {Record<string, ObjectKind>} */
export const KINDS = {
  application: {
    noun: 'application', list: '/operator/v1/applications', schema: 'ApplicationInput', ownId: 'applicationId',
    first: ['webhookScopes', 'rateLimitPerMinute'], defaults: { enabled: true },
    consequence: 'The tokens of the application stop working immediately. Its secrets and its access to companies are deleted. Checks that it has added remain.', nameOf: (it) => it.name,
  },
  company: {
    noun: 'company', list: '/operator/v1/companies', schema: 'CompanyInput', ownId: 'companyId', first: ['products', 'parentCompanyId'],
    // A company without this product receives no checks.
    defaults: { products: [{ productCode: 'PAYROLL', startDate: `${new Date().getFullYear()}-01-01` }] },
    consequence: REFERENCED, nameOf: (it) => it.legalName,
  },
  worker: {
    noun: 'worker', list: `${COMPANY}/workers`, schema: 'WorkerInput', ownId: 'workerId',
    first: ['employeeId', 'hireDate', 'employmentType', 'payRates'], defaults: { workerType: 'EMPLOYEE' }, hidden: ['directDeposits'],
    consequence: 'The worker is deleted with pay rates and recurring components. The deletion is rejected if the worker has checks.',
    nameOf: (it) => [it.name?.givenName, it.name?.familyName].filter(Boolean).join(' '),
  },
  payRate: {
    noun: 'pay rate', list: `${WORKER}/payrates`, schema: 'PayRateInput', ownId: 'rateId', first: ['default'], defaults: { rateNumber: 'RATE_1' },
    consequence: 'Existing checks keep their amounts.', nameOf: (it) => it.rateNumber,
  },
  recurringComponent: {
    noun: 'recurring component', list: `${WORKER}/recurringcomponents`, schema: 'RecurringComponentInput', ownId: 'workerComponentId',
    first: ['startDate', 'endDate'], consequence: 'Payroll programs no longer add it to checks of the worker.', nameOf: (it) => it.componentId,
  },
  directDeposit: {
    noun: 'direct deposit', list: `${WORKER}/directdeposits`, schema: 'DirectDepositInput', ownId: 'directDepositId', first: ['value'],
    defaults: { priority: '1', accountType: 'CHECKING', status: 'ACTIVE' }, hidden: ['pendingChange', 'requestedBy', 'requestedDate'],
    consequence: 'Pay no longer goes to the account.', nameOf: (it) => it.accountNumber,
  },
  payPeriod: {
    noun: 'pay period', list: `${COMPANY}/payperiods`, schema: 'PayPeriodInput', ownId: 'payPeriodId', first: ['submitByDate', 'description'],
    defaults: { status: 'ENTRY' }, consequence: 'The deletion is rejected if the pay period has checks.',
    nameOf: (it) => it.description ?? it.payPeriodId,
  },
  payComponent: {
    noun: 'pay component', list: `${COMPANY}/paycomponents`, schema: 'PayComponentInput', ownId: 'componentId', first: ['code', 'overtime'],
    consequence: REFERENCED, nameOf: (it) => it.name,
  },
  organization: {
    noun: 'organization', list: `${COMPANY}/organizations`, schema: 'OrganizationInput', ownId: 'organizationId',
    first: ['parentOrganizationId', 'number'], consequence: REFERENCED, nameOf: (it) => it.name,
  },
  jobTitle: {
    noun: 'job title', list: `${COMPANY}/jobtitles`, schema: 'CompanyJobTitleInput', ownId: 'jobTitleId', first: ['startDate', 'endDate'],
    consequence: REFERENCED, nameOf: (it) => it.title,
  },
  job: {
    noun: 'job', list: `${COMPANY}/jobs`, schema: 'CompanyJobInput', ownId: 'jobId', first: ['startDate', 'endDate'],
    consequence: REFERENCED, nameOf: (it) => it.jobName,
  },
  location: {
    noun: 'location', list: `${COMPANY}/locations`, schema: 'LocationInput', ownId: 'locationId', first: ['movedIn'],
    consequence: REFERENCED, nameOf: (it) => it.name,
  },
  laborAssignment: {
    noun: 'labor assignment', list: `${COMPANY}/laborassignments`, schema: 'LaborAssignmentInput', ownId: 'laborAssignmentId',
    first: ['rate', 'startDate', 'endDate'], consequence: REFERENCED, nameOf: (it) => it.name,
  },
  documentCategory: {
    noun: 'document category', list: `${COMPANY}/documentcategories`, schema: 'DocumentCategoryInput', ownId: 'categoryId',
    pathId: 'documentCategoryId', first: [],
    consequence: REFERENCED, nameOf: (it) => it.categoryName,
  },
  user: {
    noun: 'user', list: `${COMPANY}/users`, schema: 'CompanyUserInput', ownId: 'userId', first: ['email', 'title'], defaults: { active: true },
    consequence: 'Partners no longer see the user.', nameOf: (it) => [it.name?.givenName, it.name?.familyName].filter(Boolean).join(' '),
  },
  customField: {
    noun: 'custom field', list: `${COMPANY}/customfields`, schema: 'CustomFieldInput', ownId: 'customFieldId', first: ['categoryId', 'required'],
    consequence: 'Partners no longer see the field.', nameOf: (it) => it.customFieldName,
  },
  customFieldCategory: {
    noun: 'category of custom fields', list: `${COMPANY}/customfieldscategories`, schema: 'CustomFieldCategoryInput', ownId: 'categoryId',
    first: [], consequence: REFERENCED, nameOf: (it) => it.categoryName,
  },
  calculationBase: {
    noun: 'calculation base', list: `${COMPANY}/calculationbases`, schema: 'CalculationBaseInput', ownId: 'calculationBaseId', first: [],
    consequence: REFERENCED, nameOf: (it) => it.calculationBaseName,
  },
  contactType: {
    noun: 'contact type', list: `${COMPANY}/contacttypes`, schema: 'ContactTypeInput', ownId: 'contactTypeId', first: ['relationshipTypes'],
    consequence: REFERENCED, nameOf: (it) => it.contactTypeName,
  },
  customEmploymentType: {
    noun: 'custom employment type', list: `${COMPANY}/customemploymenttypes`, schema: 'CustomEmploymentTypeInput',
    ownId: 'customEmploymentTypeId', first: [], consequence: REFERENCED, nameOf: (it) => it.customEmploymentTypeName,
  },
  operatorKey: {
    noun: 'operator key', list: '/operator/v1/keys', schema: 'OperatorKeyInput', ownId: 'keyId',
    first: ['operatorName', 'role', 'companyIds', 'expiresDate'], defaults: { role: 'payroll' }, hidden: ['readOnly'],
    consequence: 'The key stops working immediately. All browser sessions of the key end.', nameOf: (it) => it.name,
  },
};

/** Returns whether the session may create objects of a kind. @param {ObjectKind} kind */
export function mayCreate({ list }) {
  if (!list.startsWith(COMPANY)) return mayWrite('administration');
  return mayWriteInCompany(/\/(workers|payperiods)(\/|$)/.test(list) ? 'payroll' : 'administration');
}

/** Returns whether the session may change and delete objects of a kind. @param {ObjectKind} kind */
export function mayChange(kind) {
  return kind === KINDS.company ? mayWriteInCompany('administration') : mayCreate(kind);
}

/** The ids in the path of a list. @typedef {Record<string, string>} Path */

/** The client for paths from a table, which have no static type. */
const client = /** @type {any} */ (api);

/** @param {ObjectKind} kind */
function elementPath({ list, ownId, pathId = ownId }) {
  return `${list}/{${pathId}}`;
}

/** @param {ObjectKind} kind @param {Path} path @param {string} id */
function ids({ ownId, pathId = ownId }, path, id) {
  return { ...path, [pathId]: id };
}

/** @param {ObjectKind} kind @param {Path} path @param {Record<string, unknown>} [query] */
export function list(kind, path, query = {}) {
  return client.GET(kind.list, { params: { path, query } });
}

/** @param {ObjectKind} kind @param {Path} path @param {string} id @returns {Promise<{item: any, tag: string}>} */
export function read(kind, path, id) {
  return one(client.GET(elementPath(kind), { params: { path: ids(kind, path, id) } }));
}

/** @param {ObjectKind} kind @param {Path} path @param {unknown} document @param {string} key @returns {Promise<any>} */
export async function create(kind, path, document, key = idempotencyKey()) {
  return (await one(client.POST(kind.list, { params: { path, header: { 'Idempotency-Key': key } }, body: document }))).item;
}

/** @param {ObjectKind} kind @param {Path} path @param {string} id @param {unknown} patch @param {string} tag */
export async function change(kind, path, id, patch, tag) {
  await one(client.PATCH(elementPath(kind), { params: { path: ids(kind, path, id), header: { 'If-Match': tag } }, body: patch }));
  forgetNames();
}

/** @param {ObjectKind} kind @param {Path} path @param {string} id @param {string} tag */
export async function remove(kind, path, id, tag) {
  const header = tag === '' ? {} : { 'If-Match': tag };
  await body(client.DELETE(elementPath(kind), { params: { path: ids(kind, path, id), header } }));
  forgetNames();
}
