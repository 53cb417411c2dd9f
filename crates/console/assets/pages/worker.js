// A worker in tabs: the person, the job, the pay, the tax settings, the documents and the history.
import { api, one } from '../client/client.js';
import { companyName, nameOf, useName } from '../client/names.js';
import { useLoad } from '../api/load.js';
import { KINDS } from '../forms/kinds.js';
import { DeleteButton, EditButton, ObjectList } from '../forms/object-list.js';
import { labelOf } from '../parts/schema.js';
import { Loaded } from '../parts/feedback.js';
import { mayReadPersonalData } from '../client/session.js';
import { History } from './history.js';
import { html } from '../parts/html.js';
import { Copied } from '../parts/named.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Facts, Table } from '../parts/table.js';
import { Day, Money, Status, choiceText } from '../parts/values.js';
import { Contacts } from './worker-contacts.js';
import { Documents } from './worker-documents.js';
import { StatusHistory, TimeAndWork } from './worker-time.js';
import { CustomFields } from './worker-fields.js';
import { ComponentName, ListName, WorkerLink } from './names.js';
import { TaxIdentity } from './tax-identity.js';

/** @typedef {import('../client/client.js').Schemas['Worker']} Shown */
/** @typedef {import('../client/client.js').Schemas['PayRate']} Rate */
/** @typedef {import('../client/client.js').Schemas['RecurringComponent']} Recurring */
/** @typedef {import('../client/client.js').Schemas['DirectDeposit']} Deposit */
/** @typedef {NonNullable<Shown['communications']>[number]} Communication */
/** @typedef {{companyId: string, workerId: string}} Path */

const VIEWS = [
  ['', 'Overview'],
  ['pay', 'Pay'],
  ['taxes', 'Tax settings'],
  ['documents', 'Documents'],
  ['history', 'History'],
];

/** The views that the role `support` cannot read. */
const PERSONAL_VIEWS = ['pay', 'taxes', 'documents', 'history'];

/** @param {string | undefined} word */
function choice(word) {
  return word === undefined ? '–' : choiceText(word);
}

/** @param {Communication} it */
function addressOf(it) {
  const telephone = [it.dialCountry && `+${it.dialCountry}`, it.dialArea, it.dialNumber, it.dialExtension && `ext. ${it.dialExtension}`];
  const postal = [it.streetLineOne, it.streetLineTwo, it.postOfficeBox, it.city,
    [it.countrySubdivisionCode, it.postalCode].filter(Boolean).join(' '), it.countryCode];
  return it.uri ?? (it.dialNumber ? telephone.filter(Boolean).join(' ') : postal.filter(Boolean).join(', '));
}

/** @type {import('../parts/windowed.js').Column<Communication>[]} */
const COMMUNICATIONS = [
  { title: 'Type', cell: (it) => choice(it.type) },
  { title: 'Use', cell: (it) => choice(it.usageType) },
  { title: 'Address or number', cell: addressOf },
];

/** @type {import('../parts/windowed.js').Column<Rate>[]} */
const RATES = [
  { title: 'Number', cell: (it) => choice(it.rateNumber) },
  { title: 'Type', cell: (it) => choice(it.rateType) },
  { title: 'Amount', number: true, cell: (it) => html`<${Money} value=${it.amount} />` },
  { title: 'Default', cell: (it) => (it.default ? html`<${Status} value="default" kind="good" />` : '–') },
  { title: 'Starts', cell: (it) => html`<${Day} value=${it.startDate} />` },
  { title: 'In force since', cell: (it) => html`<${Day} value=${it.effectiveDate} />` },
];

/** @type {import('../parts/windowed.js').Column<Deposit>[]} */
const DEPOSITS = [
  { title: 'Priority', number: true, cell: (it) => it.priority },
  { title: 'Payment', cell: (it) => choice(it.paymentType) },
  { title: 'Value', number: true, cell: (it) => (it.value === undefined ? '–' : html`<${Money} value=${it.value} />`) },
  { title: 'Account', cell: (it) => `${choice(it.accountType)} ${it.accountNumber}` },
  { title: 'Status', cell: (it) => html`<${Status} value=${it.pendingChange ? 'CHANGE_PENDING' : it.status} kind=${it.status === 'ACTIVE' && !it.pendingChange ? 'good' : 'waiting'} />` },
  { title: 'Starts', cell: (it) => html`<${Day} value=${it.startDate} />` },
];

/** @param {string} companyId @returns {import('../parts/windowed.js').Column<Recurring>[]} */
function recurringColumns(companyId) {
  return [
    { title: 'Pay component', cell: (it) => html`<${ComponentName} companyId=${companyId} id=${it.componentId} />` },
    { title: 'Calculation', cell: (it) => choice(it.calculationType) },
    { title: 'Value', number: true, cell: (it) => html`<${Money} value=${it.value} />` },
    { title: 'Starts', cell: (it) => html`<${Day} value=${it.startDate} />` },
    { title: 'Ends', cell: (it) => html`<${Day} value=${it.endDate} />` },
  ];
}

/** @param {Path} props */
export function Worker({ companyId, workerId }) {
  const { query } = useLocation();
  const view = query.get('view') ?? '';
  const path = { companyId, workerId };
  const company = useName(() => companyName(companyId), companyId);
  const worker = useLoad(() => one(api.GET('/operator/v1/companies/{companyId}/workers/{workerId}', { params: { path } })), [companyId, workerId]);
  const deleted = () => { window.location.hash = `${to('companies', companyId)}?view=workers`; };
  return html`
    <p class="above"><a href="#/companies">Companies</a> / <a href=${to('companies', companyId)}>${company}</a> /${' '}
      <a href=${`${to('companies', companyId)}?view=workers`}>Workers</a></p>
    <${Loaded} of=${worker} what="the worker">
      ${(/** @type {{item: Shown, tag: string}} */ { item, tag }) => html`
        <div class="title"><h1>${nameOf(item)}</h1><div>
          <${EditButton} kind=${KINDS.worker} path=${{ companyId }} id=${workerId} title="Edit the worker" saved=${worker.reload} />
          <${DeleteButton} kind=${KINDS.worker} path=${{ companyId }} id=${workerId} name=${nameOf(item)} deleted=${deleted} /></div></div>
        <p class="hint">${item.currentStatus ? html`<${Status} value=${item.currentStatus.statusType} kind=${item.currentStatus.statusType === 'ACTIVE' ? 'good' : 'waiting'} /> ` : null}
          Worker <${Copied} value=${item.workerId} /></p>
        <nav class="views" aria-label="Sections of the worker's page">
          ${VIEWS.filter(([name]) => !PERSONAL_VIEWS.includes(name ?? '') || mayReadPersonalData()).map(([name, title]) => html`<button type="button" aria-pressed=${view === name} onClick=${() => setQuery({ view: name ?? '' })}>${title}</button>`)}
        </nav>
        ${view === '' ? html`<${Overview} worker=${item} path=${path} />` : null}
        ${view === 'pay' ? html`<${Pay} path=${path} changed=${worker.reload} />` : null}
        ${view === 'taxes' ? html`<${Taxes} taxes=${item.taxes} />` : null}
        ${view === 'documents' ? html`<${Documents} path=${path} />` : null}
        ${view === 'history' ? html`<${History} companyId=${companyId} kind="worker" resourceId=${workerId} version=${tag} />` : null}
      `}
    <//>
  `;
}

/** @param {{worker: Shown, path: Path}} props */
function Overview({ worker, path }) {
  const { companyId } = path;
  const reveal = () => one(api.POST('/operator/v1/companies/{companyId}/workers/{workerId}/reveal-taxid', { params: { path } }));
  return html`
    <h2>Person</h2>
    <${Facts} pairs=${[
      ['Name', [worker.name.titleAffixCode, worker.name.givenName, worker.name.middleName, worker.name.familyName, worker.name.qualificationAffixCode].filter(Boolean).join(' ')],
      ['Preferred name', worker.name.preferredName],
      ['Birth date', html`<${Day} value=${worker.birthDate} />`],
      ['Sex', choice(worker.sex)],
      ['Ethnicity', worker.ethnicityCode],
      ['Tax identity', html`<${TaxIdentity} legalId=${worker.legalId} reveal=${reveal} />`],
    ]} />
    <h2>Job</h2>
    <${Facts} pairs=${[
      ['Type', choice(worker.workerType)],
      ['Employee ID', worker.employeeId],
      ['Time clock ID', worker.clockId],
      ['Job title', worker.job?.title],
      ['Status', choice(worker.currentStatus?.statusType)],
      ['Status since', html`<${Day} value=${worker.currentStatus?.effectiveDate} />`],
      ['Reason', choice(worker.currentStatus?.statusReason)],
      ['Hired', html`<${Day} value=${worker.hireDate} />`],
      ['Employment', choice(worker.employmentType)],
      ['Overtime', choice(worker.exemptionType)],
      ['Custom employment type', html`<${ListName} companyId=${companyId} member="customEmploymentTypeId" id=${worker.customEmploymentType?.customEmploymentTypeId} />`],
      ['Organization', html`<${ListName} companyId=${companyId} member="organizationId" id=${worker.organization?.organizationId} />`],
      ['Labor assignment', html`<${ListName} companyId=${companyId} member="laborAssignmentId" id=${worker.laborAssignmentId} />`],
      ['Supervisor', html`<${WorkerLink} companyId=${companyId} id=${worker.supervisor?.workerId} />`],
      ['Location', worker.locationId],
      ['Work state', worker.workState],
      ['I-9 status', choice(worker.i9Status?.status)],
      ['I-9 expires', html`<${Day} value=${worker.i9Status?.expirationDate} />`],
    ]} />
    ${mayReadPersonalData() ? html`<${Details} worker=${worker} companyId=${companyId} />` : null}
  `;
}

/** Shows the details that the role support cannot see. @param {{worker: Shown, companyId: string}} props */
function Details({ worker, companyId }) {
  return html`
    <h2>Addresses and telephones</h2>
    <${Table} label="Addresses and telephones" items=${worker.communications ?? []} columns=${COMMUNICATIONS} empty="The worker has no address or telephone." />
    <${StatusHistory} statuses=${worker.statuses ?? []} />
    <${TimeAndWork} companyId=${companyId} timeOff=${worker.timeOff ?? []} distributions=${worker.assignmentDistributions ?? []} />
    <${Contacts} companyId=${companyId} contacts=${worker.contacts ?? []} />
    <${CustomFields} companyId=${companyId} values=${worker.customFields ?? []} />
  `;
}

/** @param {{path: Path, changed: () => void}} props */
function Pay({ path, changed }) {
  return html`
    <${ObjectList} kind=${KINDS.payRate} path=${path} title="Pay rates" columns=${RATES} changed=${changed} />
    <${ObjectList} kind=${KINDS.recurringComponent} path=${path} title="Recurring components" columns=${recurringColumns(path.companyId)} changed=${changed}
      hint="Pay and deductions that the payroll program adds to the worker's checks, such as an allowance." />
    <${ObjectList} kind=${KINDS.directDeposit} path=${path} title="Direct deposits" columns=${DEPOSITS} changed=${changed}
      hint="The bank accounts that the pay goes to. Only the last four digits of account numbers are shown." />
  `;
}

/**
 * Returns the members of a document and their values.
 *
 * @param {Record<string, unknown>} document
 * @returns {[string, any][]}
 */
function pairs(document) {
  const shown = (/** @type {unknown} */ value) => (value === true ? 'yes' : value === false ? 'no' : String(value));
  return Object.entries(document).map(([name, value]) => [labelOf(name), shown(value)]);
}

/** @param {{taxes: Shown['taxes']}} props */
function Taxes({ taxes }) {
  if (!taxes?.federal && !taxes?.states?.length) return html`<p class="hint">The worker has no tax settings. Add them with Edit the worker.</p>`;
  return html`
    ${taxes.federal ? html`<h2>Federal</h2><${Facts} pairs=${pairs(taxes.federal)} />` : null}
    ${(taxes.states ?? []).map((state) => html`<h2>${state.countrySubdivisionCode}</h2><${Facts} pairs=${pairs(state)} />`)}
  `;
}
