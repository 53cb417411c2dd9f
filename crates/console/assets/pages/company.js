// A company: what it is, its pay periods with their course, its workers, and its history.
import { api, one, page } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Chart } from '../parts/chart.js';
import { Editor } from './editor.js';
import { Loaded } from '../parts/feedback.js';
import { History } from './history.js';
import { html } from '../parts/html.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Facts, Table } from '../parts/table.js';
import { Count, Day, Id, Money, Status, periodTitle, plain } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';
import { nameOf } from '../client/names.js';
import { TaxIdentity } from './tax-identity.js';

/** @typedef {import('../client/client.js').Schemas['Company']} Shown */
/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {import('../client/client.js').Schemas['Worker']} Worker */
/** @typedef {import('../client/client.js').Schemas['PayComponent']} Component */

/** @type {import('../parts/windowed.js').Column<Component>[]} */
const COMPONENTS = [
  { title: 'Name', cell: (it) => it.name },
  { title: 'Effect', cell: (it) => plain(it.effectOnPay) },
  { title: 'Debit account', cell: (it) => it.debitAccount ?? 'by its effect' },
  { title: 'Credit account', cell: (it) => it.creditAccount ?? 'by its effect' },
  { title: 'Id', cell: (it) => html`<${Id} value=${it.componentId} />` },
];

const VIEWS = [
  ['', 'Pay periods'],
  ['workers', 'Workers'],
  ['components', 'Pay components'],
  ['history', 'History'],
];

/** Periods in the chart. */
const CHARTED = 60;

/** @param {{companyId: string}} props */
export function Company({ companyId }) {
  const { query } = useLocation();
  const view = query.get('view') ?? '';
  const path = { companyId };
  const company = useLoad(() => one(api.GET('/operator/v1/companies/{companyId}', { params: { path } })), [companyId]);
  return html`
    <p class="above"><a href="#/">Pay runs</a></p>
    <${Loaded} of=${company} what="the company">
      ${(/** @type {{item: Shown, tag: string}} */ { item, tag }) => html`
        <h1>${item.legalName}</h1>
        <${Facts} pairs=${[
          ['Company', html`<${Id} value=${item.companyId} />`],
          ['Account number', html`<${Id} value=${item.displayId} />`],
          ['Tax identity', html`<${TaxIdentity} legalId=${item.legalId}
            reveal=${() => one(api.POST('/operator/v1/companies/{companyId}/reveal-taxid', { params: { path } }))} />`],
        ]} />
        <${Editor} title="Change the company" object=${item} tag=${tag} saved=${company.reload}
          load=${() => one(api.GET('/operator/v1/companies/{companyId}', { params: { path } }))}
          save=${(/** @type {import('../client/client.js').Schemas['CompanyPatch']} */ patch, /** @type {string} */ version) =>
            one(api.PATCH('/operator/v1/companies/{companyId}', { params: { path, header: { 'If-Match': version } }, body: patch }))} />
      `}
    <//>
    <nav class="views" aria-label="Views of the company">
      ${VIEWS.map(([name, title]) => html`<button type="button" aria-pressed=${view === name}
        onClick=${() => setQuery({ view: name ?? '' })}>${title}</button>`)}
    </nav>
    ${view === '' ? html`<${Periods} companyId=${companyId} />` : null}
    ${view === 'workers' ? html`<${Workers} companyId=${companyId} />` : null}
    ${view === 'components' ? html`<${Components} companyId=${companyId} />` : null}
    ${view === 'history' ? html`<${History} companyId=${companyId} />` : null}
  `;
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
  const charted = useLoad(
    () => page(api.GET('/operator/v1/companies/{companyId}/payperiods', { params: { path, query: { status: ['COMPLETED'], limit: CHARTED } } })),
    [companyId],
  );
  const paid = [...(charted.value?.items ?? [])].sort((one, other) => one.checkDate.localeCompare(other.checkDate));
  return html`<section>
    <h2>Pay periods</h2>
    ${paid.length > 1 ? html`<${Chart} label="Gross and net by check date" dates=${paid.map((it) => it.checkDate)}
      series=${[
        { name: 'Gross', values: paid.map((it) => it.totals?.grossEarnings) },
        { name: 'Net', values: paid.map((it) => it.totals?.netPay) },
      ]} />` : null}
    <${WindowedTable} label="Pay periods" load=${load} inputs=${[companyId]} columns=${periodColumns(companyId)}
      empty="The company has no pay periods." />
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
  /** @type {import('../parts/windowed.js').Column<Worker>[]} */
  const columns = [
    { title: 'Worker', cell: (it) => html`<a href=${to('companies', companyId, 'workers', it.workerId)}>${nameOf(it)}</a>` },
    { title: 'Employee id', cell: (it) => html`<${Id} value=${it.employeeId} />` },
    { title: 'Id', cell: (it) => html`<${Id} value=${it.workerId} />` },
  ];
  return html`<section>
    <h2>Workers</h2>
    <p class="filters"><label>A part of the name
      <input type="search" value=${name} onChange=${(/** @type {any} */ event) => setQuery({ view: 'workers', name: event.target.value })} /></label></p>
    <${WindowedTable} label="Workers" load=${load} inputs=${[companyId, name]} columns=${columns} empty="No worker fits." />
  </section>`;
}

/** @param {{companyId: string}} props */
function Components({ companyId }) {
  const all = useLoad(
    () => page(api.GET('/operator/v1/companies/{companyId}/paycomponents', { params: { path: { companyId }, query: { limit: 500 } } })),
    [companyId],
  );
  return html`<section>
    <h2>Pay components</h2>
    <${Loaded} of=${all} what="the pay components">
      ${(/** @type {{items: Component[]}} */ { items }) => html`<${Table} label="Pay components" items=${items} columns=${COMPONENTS}
        empty="There are none." />`}
    <//>
  </section>`;
}
