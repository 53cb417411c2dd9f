// The pay runs of all companies: pay periods that are open or in processing.
import { useEffect, useState } from 'preact/hooks';
import { useLoad } from '../api/load.js';
import { api, one, page } from '../client/client.js';
import { clockOffset } from '../client/clock.js';
import { mayWrite } from '../client/session.js';
import { Picker } from '../parts/picker.js';
import { companies } from '../forms/references.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { toast } from '../parts/toast.js';
import { Count, Day, Money, Status, periodTitle } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';
import { CompleteChosen } from './complete-many.js';
import { runKey } from './completion-csv.js';
import { MAX_CHOSEN, ProcessChosen } from './process-many.js';

/** @typedef {import('../client/client.js').Schemas['PayRun']} PayRun */

const STATUSES = /** @type {const} */ ([
  ['', 'Open or in processing'],
  ['PROCESSING', 'In processing'],
  ['ENTRY', 'Open'],
  ['INITIAL', 'Not started'],
]);

/** The sort orders of the API. */
const ORDERS = /** @type {const} */ ([
  'checkdate', '-checkdate', 'company', '-company', 'submitby', '-submitby', 'checks', '-checks', 'gross', '-gross',
]);

/** The length of a day in milliseconds. */
const DAY = 24 * 60 * 60 * 1000;

/**
 * Returns whether the period is still open for checks after the day by which they should have been submitted.
 *
 * @param {PayRun} run
 * @param {number} now
 */
function isOverdue({ status, submitByDate }, now) {
  return status !== 'PROCESSING' && submitByDate !== undefined && Date.parse(submitByDate) + DAY < now;
}

/** @param {number} now @returns {import('../parts/windowed.js').Column<PayRun>[]} */
const columnsAt = (now) => [
  {
    title: 'Company',
    sort: 'company',
    cell: (run) => html`<a href=${to('companies', run.companyId)}>${run.legalName}</a>
      <span class="hint"> ${run.displayId}</span>`,
  },
  {
    title: 'Pay period',
    cell: (run) => html`<a href=${to('companies', run.companyId, 'payperiods', run.payPeriodId)}
      >${periodTitle(run)}</a>`,
  },
  // The status of an overdue period says only that the period accepts checks, so "overdue" is shown instead.
  { title: 'Status', cell: (run) => isOverdue(run, now) ? html`<${Status} value="overdue" kind="bad" />` : html`<${Status} value=${run.status} />` },
  { title: 'Check date', sort: 'checkdate', cell: (run) => html`<${Day} value=${run.checkDate} />` },
  { title: 'Submit by', sort: 'submitby', cell: (run) => html`<${Day} value=${run.submitByDate} />` },
  { title: 'Checks', sort: 'checks', number: true, cell: (run) => html`<${Count} value=${run.totals?.checks} />` },
  { title: 'Gross', sort: 'gross', number: true, cell: (run) => html`<${Money} value=${run.totals?.grossEarnings} />` },
];

/** Returns whether the pay run can be processed. @param {PayRun} run */
function isOpen({ status }) {
  return status !== 'PROCESSING';
}

/**
 * Returns the filters in the address as parameters of the API.
 *
 * @param {URLSearchParams} query
 * @param {number} now
 */
function filtersOf(query, now) {
  const status = STATUSES.map(([value]) => value).find((value) => value !== '' && value === query.get('status'));
  const [companyid, checkdatefrom, checkdateto] = ['company', 'from', 'to'].map((name) => query.get(name) ?? '');
  return {
    ...(status ? { status } : {}),
    ...(companyid ? { companyid } : {}),
    ...(checkdatefrom ? { checkdatefrom } : {}),
    ...(checkdateto ? { checkdateto } : {}),
    ...(query.get('overdue') ? { overdueon: new Date(now).toISOString().slice(0, 'YYYY-MM-DD'.length) } : {}),
  };
}

/** Returns the sort order in the address. @param {URLSearchParams} query */
function orderOf(query) {
  return ORDERS.find((order) => order === query.get('sort')) ?? 'checkdate';
}

/**
 * Returns the columns with the totals of all pay runs that match the filters.
 *
 * @param {ReturnType<typeof filtersOf>} filters
 * @param {unknown[]} inputs
 * @param {number} now
 */
function useColumns(filters, inputs, now) {
  const [sums, setSums] = useState(/** @type {import('../client/client.js').Schemas['PayRunTotals'] | undefined} */ (undefined));
  useEffect(() => {
    let isCurrent = true;
    setSums(undefined);
    // The table reports a failure of its own request.
    one(api.GET('/operator/v1/payruns/totals', { params: { query: filters } }))
      .then(({ item }) => isCurrent && setSums(item), () => undefined);
    return () => {
      isCurrent = false;
    };
  }, inputs);
  if (sums === undefined) return columnsAt(now);
  /** @type {Record<string, any>} */
  const shown = {
    company: 'Total',
    checks: html`<${Count} value=${sums.checks} />`,
    gross: html`<${Money} value=${sums.grossEarnings} />`,
  };
  return columnsAt(now).map((column) => ({ ...column, sum: column.sort && shown[column.sort] }));
}

export function PayRuns() {
  const offset = useLoad(clockOffset, []);
  return html`
    <h1>Pay runs</h1>
    <${Loaded} of=${offset} what="the pay runs">
      ${(/** @type {number} */ ahead) => html`<${Runs} ahead=${ahead} />`}
    <//>
  `;
}

/** @param {{ahead: number}} props `ahead` is the time by which the server's clock is ahead of the browser's clock. */
function Runs({ ahead }) {
  const now = Date.now() + ahead;
  const { query } = useLocation();
  const filters = filtersOf(query, now);
  const sort = orderOf(query);
  const inputs = JSON.stringify(filters);
  const [chosen, choose] = useState(/** @type {Map<string, PayRun>} */ (new Map()));
  const [round, again] = useState(0);
  const columns = useColumns(filters, [inputs, round], now);
  useEffect(() => choose(new Map()), [inputs]);
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/payruns', { params: { query: { offset, limit, sort, ...filters } } }));
  const reload = (/** @type {Map<string, PayRun>} */ selection) => {
    choose(selection);
    again(round + 1);
  };
  const completed = (/** @type {PayRun[]} */ runs) => {
    const keys = runs.map(runKey);
    reload(new Map([...chosen].filter(([key]) => !keys.includes(key))));
  };
  const turn = (/** @type {PayRun} */ run) => {
    const next = new Map(chosen);
    if (!next.delete(runKey(run))) next.set(runKey(run), run);
    choose(next);
  };
  const selectAll = async (/** @type {boolean} */ areOpen) => {
    const { items, total } = await load(0, MAX_CHOSEN);
    choose(new Map(items.filter((run) => isOpen(run) === areOpen).map((run) => [runKey(run), run])));
    if (total > items.length) toast(`Only pay runs among the first ${items.length} of ${total} are selected.`);
  };
  const selected = (/** @type {boolean} */ areOpen) => [...chosen.values()].filter((run) => isOpen(run) === areOpen);
  /** @type {import('../parts/windowed.js').Column<PayRun>} */
  const choice = {
    title: html`<span class="unseen">Select</span>`,
    cell: (run) => html`<input type="checkbox" checked=${chosen.has(runKey(run))} onChange=${() => turn(run)}
      aria-label=${`Select ${run.legalName}, ${periodTitle(run)}`} />`,
  };
  return html`
    <${Filters} query=${query} />
    ${mayWrite('payroll')
      ? html`<div class="actions">
          <button type="button" onClick=${() => selectAll(true)}>Select all open ones</button>
          <${ProcessChosen} chosen=${selected(true)} done=${() => reload(new Map())} />
          <button type="button" onClick=${() => selectAll(false)}>Select all in processing</button>
          <${CompleteChosen} chosen=${selected(false)} done=${completed} />
        </div>`
      : null}
    <${WindowedTable} label="Pay runs" load=${load} inputs=${[inputs, sort, round]} columns=${mayWrite('payroll') ? [choice, ...columns] : columns}
      order=${sort} onOrder=${(/** @type {string} */ order) => setQuery({ ...Object.fromEntries(query), sort: order })}
      empty=${html`<${Empty} title=${inputs === '{}' ? 'No pay period is open or in processing.' : 'No pay run matches these filters.'}>
        <p class="hint">Open a <a href="#/companies">company</a> and create a pay period.</p>
      <//>`} />
  `;
}

/**
 * Shows the filters. They are part of the address, so that a view can be bookmarked.
 *
 * @param {{query: URLSearchParams}} props
 */
function Filters({ query }) {
  const change = (/** @type {string} */ name, /** @type {string} */ value) =>
    setQuery({ ...Object.fromEntries(query), [name]: value });
  const day = (/** @type {string} */ name, /** @type {string} */ title) => html`<label>${title}
    <input type="date" value=${query.get(name) ?? ''} onChange=${(/** @type {any} */ event) => change(name, event.target.value)} /></label>`;
  const wanted = query.get('status') ?? '';
  return html`<div class="filters">
    <label>Status
      <select value=${wanted} onChange=${(/** @type {any} */ event) => change('status', event.target.value)}>
        ${STATUSES.map(([value, title]) => html`<option value=${value} selected=${value === wanted}>${title}</option>`)}
      </select>
    </label>
    <div class="field"><label for="runs-company">Company</label>
      <${Picker} id="runs-company" value=${query.get('company') ?? undefined} source=${companies}
        onChange=${(/** @type {string | undefined} */ id) => change('company', id ?? '')} /></div>
    ${day('from', 'Check date from')}
    ${day('to', 'Check date to')}
    <label class="flag"><input type="checkbox" checked=${query.get('overdue') !== null}
      onChange=${(/** @type {any} */ event) => change('overdue', event.target.checked ? 'yes' : '')} /> Overdue only</label>
  </div>`;
}
