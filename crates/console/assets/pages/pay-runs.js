// The periods that wait for somebody: of all companies, those that are open or in processing.
import { api, page } from '../client/client.js';
import { Empty } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Count, Day, Money, Status, periodTitle } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';

/** @typedef {import('../client/client.js').Schemas['PayRun']} PayRun */

const STATUSES = /** @type {const} */ ([
  ['', 'Open or in processing'],
  ['PROCESSING', 'In processing'],
  ['ENTRY', 'Open'],
  ['INITIAL', 'Not begun'],
]);

/** Milliseconds of a day. */
const DAY = 24 * 60 * 60 * 1000;

/** Whether the day has passed by which checks should have been sent, while the period is still open for them. @param {PayRun} run */
function isOverdue({ status, submitByDate }) {
  return status !== 'PROCESSING' && submitByDate !== undefined && Date.parse(submitByDate) + DAY < Date.now();
}

/** @type {import('../parts/windowed.js').Column<PayRun>[]} */
const COLUMNS = [
  {
    title: 'Company',
    cell: (run) => html`<a href=${to('companies', run.companyId)}>${run.legalName}</a>
      <span class="hint"> ${run.displayId}</span>`,
  },
  {
    title: 'Pay period',
    cell: (run) => html`<a href=${to('companies', run.companyId, 'payperiods', run.payPeriodId)}
      >${periodTitle(run)}</a>`,
  },
  { title: 'Status', cell: (run) => html`<${Status} value=${run.status} />` },
  { title: 'Check date', cell: (run) => html`<${Day} value=${run.checkDate} />` },
  { title: 'Submit by', cell: (run) => html`<${Day} value=${run.submitByDate} /> ${isOverdue(run) ? html`<${Status} value="overdue" kind="bad" />` : null}` },
  { title: 'Checks', number: true, cell: (run) => html`<${Count} value=${run.totals?.checks} />` },
  { title: 'Gross', number: true, cell: (run) => html`<${Money} value=${run.totals?.grossEarnings} />` },
];

export function PayRuns() {
  const { query } = useLocation();
  const wanted = query.get('status') ?? '';
  const status = STATUSES.map(([value]) => value).find((value) => value !== '' && value === wanted);
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/payruns', {
      params: { query: { offset, limit, ...(status ? { status } : {}) } },
    }));
  return html`
    <h1>Pay runs</h1>
    <p class="filters">
      <label>Status
        <select value=${wanted} onChange=${(/** @type {any} */ event) => setQuery({ status: event.target.value })}>
          ${STATUSES.map(([value, title]) => html`<option value=${value} selected=${value === wanted}>${title}</option>`)}
        </select>
      </label>
    </p>
    <${WindowedTable} label="Pay runs" load=${load} inputs=${[status]} columns=${COLUMNS}
      empty=${html`<${Empty} title="No pay period is open or in processing.">
        <p class="hint">Open a <a href="#/companies">company</a> and create a pay period.</p>
      <//>`} />
  `;
}
