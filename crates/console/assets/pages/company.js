// A company in tabs: pay periods with a chart, workers, lists, applications and history.
import { api, one, page } from '../client/client.js';
import { isRestricted, mayReadPersonalData } from '../client/session.js';
import { useLoad } from '../api/load.js';
import { KINDS } from '../forms/kinds.js';
import { DeleteButton, EditButton, NewButton, ObjectList } from '../forms/object-list.js';
import { Chart } from '../parts/chart.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { History } from './history.js';
import { html } from '../parts/html.js';
import { Copied } from '../parts/named.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Facts } from '../parts/table.js';
import { Count, Day, Id, Money, Status, choiceText, dayRange, periodTitle } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';
import { nameOf } from '../client/names.js';
import { CompanyAccess } from './company-access.js';
import { CompanyLists } from './company-lists.js';
import { LockButton, LockNotice, useLock } from './company-lock.js';
import { CompanyLink } from './names.js';
import { TaxIdentity } from './tax-identity.js';

/** @typedef {import('../client/client.js').Schemas['Company']} Shown */
/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {import('../client/client.js').Schemas['Worker']} Worker */

const VIEWS = [
  ['', 'Pay periods'],
  ['workers', 'Workers'],
  ['components', 'Pay components'],
  ['lists', 'Lists'],
  ['access', 'Access'],
  ['details', 'Details'],
  ['history', 'History'],
];

/** Returns whether the session may read a view. @param {string} view */
function isShown(view) {
  if (view === 'access') return !isRestricted();
  return view !== 'history' || mayReadPersonalData();
}

/** Number of periods in the chart. */
const CHARTED = 60;
/** Number of the latest created periods. The chart shows those of them with the latest check dates. */
const LATEST = 1000;

/**
 * Returns the completed pay periods with the latest check dates, in the order of these dates. The API lists periods in
 * the order of their creation.
 *
 * @param {string} companyId
 */
async function latestPaid(companyId) {
  const list = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/companies/{companyId}/payperiods', {
      params: { path: { companyId }, query: { status: ['COMPLETED'], offset, limit } },
    }));
  const { total } = await list(0, 1);
  const { items } = await list(Math.max(0, total - LATEST), LATEST);
  return items.sort((one, other) => one.checkDate.localeCompare(other.checkDate)).slice(-CHARTED);
}

/** @param {{companyId: string}} props */
export function Company({ companyId }) {
  const { query } = useLocation();
  const view = query.get('view') ?? '';
  const path = { companyId };
  const company = useLoad(() => one(api.GET('/operator/v1/companies/{companyId}', { params: { path } })), [companyId]);
  const lock = useLock(companyId);
  const deleted = () => { window.location.hash = '#/companies'; };
  return html`
    <p class="above"><a href="#/companies">Companies</a></p>
    <${Loaded} of=${company} what="the company">
      ${(/** @type {{item: Shown}} */ { item }) => html`
        <div class="title"><h1>${item.legalName}</h1><div>
          <${LockButton} companyId=${companyId} lock=${lock} />
          <${EditButton} kind=${KINDS.company} path=${{}} id=${companyId} title="Edit the company" saved=${company.reload} />
          <${DeleteButton} kind=${KINDS.company} path=${{}} id=${companyId} name=${item.legalName} deleted=${deleted} /></div></div>
        <p class="hint">Account number ${item.displayId} · Company <${Copied} value=${item.companyId} /></p>
        <${LockNotice} companyId=${companyId} lock=${lock} />
        <nav class="views" aria-label="Views of the company">
          ${VIEWS.filter(([name]) => isShown(name ?? '')).map(([name, title]) => html`<button type="button" aria-pressed=${view === name}
            onClick=${() => setQuery({ view: name ?? '' })}>${title}</button>`)}
        </nav>
        ${view === '' ? html`<${Periods} companyId=${companyId} />` : null}
        ${view === 'workers' ? html`<${Workers} companyId=${companyId} />` : null}
        ${view === 'components' ? html`<${ObjectList} kind=${KINDS.payComponent} path=${path} title="Pay components" columns=${COMPONENTS}
          hint="The kinds of pay and deductions that lines of checks can have." />` : null}
        ${view === 'lists' ? html`<${CompanyLists} companyId=${companyId} />` : null}
        ${view === 'access' ? html`<${CompanyAccess} companyId=${companyId} />` : null}
        ${view === 'details' ? html`<${Details} company=${item} />` : null}
        ${view === 'history' ? html`<${History} companyId=${companyId} />` : null}
      `}
    <//>
  `;
}

/** @type {import('../parts/windowed.js').Column<import('../client/client.js').Schemas['PayComponent']>[]} */
const COMPONENTS = [
  { title: 'Name', cell: (it) => it.name },
  { title: 'Effect', cell: (it) => choiceText(it.effectOnPay) },
  { title: 'Classification', cell: (it) => choiceText(it.classificationType) },
  { title: 'Debit account', cell: (it) => it.debitAccount ?? 'by its effect' },
  { title: 'Credit account', cell: (it) => it.creditAccount ?? 'by its effect' },
  { title: 'ID', cell: (it) => html`<${Id} value=${it.componentId} />` },
];

/** @param {{company: Shown}} props */
function Details({ company }) {
  const path = { companyId: company.companyId };
  return html`<${Facts} pairs=${[
    ['Tax identity', html`<${TaxIdentity} legalId=${company.legalId}
      reveal=${() => one(api.POST('/operator/v1/companies/{companyId}/reveal-taxid', { params: { path } }))} />`],
    ['Parent company', html`<${CompanyLink} id=${company.parentCompanyId} />`],
    ['Ends', html`<${Day} value=${company.endDate} />`],
    ['Products', (company.products ?? []).map((it) => it.productCode).join(', ') || '–'],
    ['Wages expense account', company.wagesExpenseAccount],
    ['Wages payable account', company.wagesPayableAccount],
    ['Taxes payable account', company.taxesPayableAccount],
    ['Deductions payable account', company.deductionsPayableAccount],
    ['Employer tax expense account', company.employerTaxExpenseAccount],
  ]} />`;
}

/**
 * @param {string} companyId
 * @returns {import('../parts/windowed.js').Column<Period>[]}
 */
function periodColumns(companyId) {
  return [
    { title: 'Pay period', cell: (it) => html`<a href=${to('companies', companyId, 'payperiods', it.payPeriodId)}>${periodTitle(it)}</a>` },
    { title: 'Status', cell: (it) => html`<${Status} value=${it.status} />` },
    { title: 'Check date', cell: (it) => html`<${Day} value=${it.checkDate} />` },
    { title: 'Checks', number: true, cell: (it) => html`<${Count} value=${it.totals?.checks} />` },
    { title: 'Gross', number: true, cell: (it) => html`<${Money} value=${it.totals?.grossEarnings} />` },
    { title: 'Net', number: true, cell: (it) => html`<${Money} value=${it.totals?.netPay} />` },
  ];
}

/** @param {{companyId: string}} props */
function Periods({ companyId }) {
  const path = { companyId };
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/companies/{companyId}/payperiods', { params: { path, query: { offset, limit } } }));
  const paid = useLoad(() => latestPaid(companyId), [companyId]).value ?? [];
  const [oldest, newest] = [paid[0], paid.at(-1)];
  const created = (/** @type {Period} */ period) => { window.location.hash = to('companies', companyId, 'payperiods', period.payPeriodId); };
  return html`<section>
    <div class="title"><h2>Pay periods</h2><${NewButton} kind=${KINDS.payPeriod} path=${path} created=${created} /></div>
    ${oldest && newest && paid.length > 1 ? html`<${Chart} label=${`Gross and net by check date, ${dayRange(oldest.checkDate, newest.checkDate)}`} dates=${paid.map((it) => it.checkDate)}
      series=${[
        { name: 'Gross', values: paid.map((it) => it.totals?.grossEarnings) },
        { name: 'Net', values: paid.map((it) => it.totals?.netPay) },
      ]} />` : null}
    <${WindowedTable} label="Pay periods" load=${load} inputs=${[companyId]} columns=${periodColumns(companyId)}
      empty=${html`<${Empty} title="The company has no pay periods."><p class="hint">Checks are added to a pay period. Create the first one with the button above.</p><//>`} />
  </section>`;
}

/** @param {{companyId: string}} props */
function Workers({ companyId }) {
  const { query } = useLocation();
  const name = query.get('name') ?? '';
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/companies/{companyId}/workers', {
      params: { path: { companyId }, query: { offset, limit, ...(name ? { name } : {}) } },
    }));
  const created = (/** @type {Worker} */ worker) => { window.location.hash = to('companies', companyId, 'workers', worker.workerId); };
  /** @type {import('../parts/windowed.js').Column<Worker>[]} */
  const columns = [
    { title: 'Worker', cell: (it) => html`<a href=${to('companies', companyId, 'workers', it.workerId)}>${nameOf(it)}</a>` },
    { title: 'Employee ID', cell: (it) => it.employeeId ?? '–' },
    { title: 'Job title', cell: (it) => it.job?.title ?? '–' },
    { title: 'Status', cell: (it) => (it.currentStatus
      ? html`<${Status} value=${it.currentStatus.statusType} kind=${it.currentStatus.statusType === 'ACTIVE' ? 'good' : 'waiting'} />` : '–') },
    { title: 'Hired', cell: (it) => html`<${Day} value=${it.hireDate} />` },
  ];
  return html`<section>
    <div class="title"><h2>Workers</h2><${NewButton} kind=${KINDS.worker} path=${{ companyId }} created=${created} /></div>
    <p class="filters"><label>Name contains
      <input type="search" value=${name} onChange=${(/** @type {any} */ event) => setQuery({ view: 'workers', name: event.target.value })} /></label></p>
    <${WindowedTable} label="Workers" load=${load} inputs=${[companyId, name]} columns=${columns}
      empty=${name ? 'No worker matches the filter.' : html`<${Empty} title="The company has no workers.">
        <p class="hint">Create the first one with the button above, or <a href="#/transfer">import a file</a>.</p><//>`} />
  </section>`;
}
