// A pay period: its totals and checks, a preview of its completion, and its actions.
import { useState } from 'preact/hooks';
import { api, one } from '../client/client.js';
import { registerPage, workerName } from '../client/register.js';
import { useLoad } from '../api/load.js';
import { KINDS } from '../forms/kinds.js';
import { DeleteButton, EditButton } from '../forms/object-list.js';
import { needsTwoOperators } from '../client/server.js';
import { mayWrite } from '../client/session.js';
import { AddCheck } from './add-check.js';
import { CheckLines } from './check-lines.js';
import { Completion, useEntry } from './completion.js';
import { Empty, Failed, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Copied } from '../parts/named.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { CompletedPanel } from './completed.js';
import { Download } from './download.js';
import { Facts } from '../parts/table.js';
import { Count, Day, Id, Money, Status, periodTitle } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';
import { Journal } from './journal.js';
import { Moves } from './pay-period-moves.js';
import { ApprovalPreview } from './preview.js';
import { completionRequest } from './two-operators.js';

/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {import('../client/client.js').Schemas['RegisterCheck']} Check */

const VIEWS = [
  ['', 'Checks'],
  ['preview', 'Completion'],
  ['journal', 'Journal'],
];

/** @param {{companyId: string, payPeriodId: string}} props */
export function PayPeriod({ companyId, payPeriodId }) {
  const path = { companyId, payPeriodId };
  const entry = useEntry();
  const period = useLoad(
    () => one(api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}', { params: { path } })),
    [companyId, payPeriodId],
  );
  const company = useLoad(
    () => one(api.GET('/operator/v1/companies/{companyId}', { params: { path: { companyId } } })),
    [companyId],
  );
  return html`
    <p class="above">
      <a href="#/runs">Pay runs</a> / <a href=${to('companies', companyId)}>${company.value?.item.legalName ?? companyId}</a>
    </p>
    <${Loaded} of=${period} what="the pay period">
      ${(/** @type {{item: Period, tag: string}} */ { item, tag }) =>
        html`<${LoadedPeriod} path=${path} period=${item} tag=${tag} entry=${entry} reload=${period.reload} />`}
    <//>
    ${period.error ? html`<p><button type="button" onClick=${period.reload}>Load again</button></p>` : null}
  `;
}

/**
 * @param {{path: {companyId: string, payPeriodId: string}, period: Period, tag: string, entry: import('./completion.js').Entry,
 *   reload: () => void}} props
 */
function LoadedPeriod({ path, period, tag, entry, reload }) {
  const { query } = useLocation();
  const view = query.get('view') ?? '';
  // A request does not change the period, so the version alone does not show that the request must be loaded
  // again.
  const request = useLoad(
    async () => (needsTwoOperators && !isOpen(period) ? completionRequest(path) : null),
    [path.companyId, path.payPeriodId, tag, period.status],
  );
  const [rejection, reject] = useState(/** @type {unknown} */ (undefined));
  const rejected = (/** @type {unknown} */ failure) => {
    reject(failure);
    changed();
  };
  const changed = () => {
    request.reload();
    reload();
  };
  const company = { companyId: path.companyId };
  const deleted = () => {
    window.location.hash = to('companies', path.companyId);
  };
  return html`
    <div class="title"><h1>${periodTitle(period)}</h1>
      ${isOpen(period) ? html`<div><${EditButton} kind=${KINDS.payPeriod} path=${company} id=${path.payPeriodId} title="Edit the pay period" saved=${changed} />
        <${DeleteButton} kind=${KINDS.payPeriod} path=${company} id=${path.payPeriodId} name=${periodTitle(period)} deleted=${deleted} /></div>` : null}</div>
    <p class="hint">Pay period <${Copied} value=${path.payPeriodId} /></p>
    ${isProcessed(period) ? html`<${CompletedPanel} path=${path} period=${period} request=${request.value} />` : null}
    <${PeriodFacts} period=${period} />
    ${rejection && !isProcessed(period)
      ? html`<div class="failed" role="alert">
          <p><strong>The request has changed since the preview.</strong> Nothing was completed. Review the figures again.</p>
          <${Failed} error=${rejection} />
        </div>`
      : null}
    ${mayWrite('payroll') && isProcessed(period) ? null : mayWrite('payroll')
      ? html`<${Moves} path=${path} period=${period} tag=${tag} request=${request} changed=${changed}
          isCompletion=${view === 'preview'} />`
      : html`<p class="hint">Your role can read pay periods, but not process or complete them.</p>`}
    <nav class="views" aria-label="Views of the pay period">
      ${VIEWS.map(([name, title]) => html`<button type="button" aria-pressed=${view === name}
        onClick=${() => setQuery({ view: name ?? '' })}>${title}</button>`)}
    </nav>
    ${view === 'preview' && mayWrite('payroll') && !isProcessed(period)
      ? html`<${Loaded} of=${request} what="the preview">
          ${(/** @type {import('./two-operators.js').Pending | null} */ pending) => pending
            ? html`<${ApprovalPreview} key=${pending.tag} path=${path} version=${tag} period=${period} pending=${pending}
                changed=${changed} rejected=${rejected} />`
            : html`<${Completion} path=${path} period=${period} version=${tag} entry=${entry} changed=${changed} />`}
        <//>`
      : null}
    ${view === 'preview' && isProcessed(period)
      ? html`<${Empty} title="The pay period is already completed."><p>See its figures in the views of checks and journal.</p><//>`
      : null}
    ${view === 'preview' && !mayWrite('payroll') && !isProcessed(period) ? html`<${Empty} title="A preview needs the role administrator or payroll." />` : null}
    ${view === 'journal' && isProcessed(period) ? html`<${Journal} path=${path} version=${tag} />` : null}
    ${view === 'journal' && !isProcessed(period)
      ? html`<${Empty} title="The journal is available when the pay period is completed." />`
      : null}
    ${view === '' ? html`<${Register} path=${path} version=${tag} open=${isOpen(period)} changed=${changed} />` : null}
  `;
}

/** @param {Period} period */
function isOpen(period) {
  return ['INITIAL', 'ENTRY'].includes(period.status);
}

/** @param {Period} period */
function isProcessed(period) {
  return !['INITIAL', 'ENTRY', 'PROCESSING'].includes(period.status);
}

/** @param {{period: Period}} props */
function PeriodFacts({ period }) {
  const totals = period.totals;
  return html`<${Facts} pairs=${[
    ['Status', html`<${Status} value=${period.status} />`],
    ['From', html`<${Day} value=${period.startDate} />`],
    ['To', html`<${Day} value=${period.endDate} />`],
    ['Check date', html`<${Day} value=${period.checkDate} />`],
    ['Checks', html`<${Count} value=${totals?.checks} />`],
    ['Workers', html`<${Count} value=${totals?.workers} />`],
    ['Gross', html`<${Money} value=${totals?.grossEarnings} />`],
    ['Deductions', html`<${Money} value=${totals?.deductions} />`],
    ['Employee taxes', html`<${Money} value=${totals?.employeeTaxes} />`],
    ['Net', html`<${Money} value=${totals?.netPay} />`],
    ['Employer taxes', html`<${Money} value=${totals?.employerTaxes} />`],
    ['Employer cost', html`<${Money} value=${totals?.employerCost} />`],
  ]} />`;
}

/** @param {{path: {companyId: string, payPeriodId: string}, version: string, open: boolean, changed: () => void}} props */
function Register({ path, version, open, changed }) {
  const [round, again] = useState(0);
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) => registerPage(path, offset, limit);
  const removed = () => {
    again(round + 1);
    changed();
  };
  const csv = `/operator/v1/companies/${encodeURIComponent(path.companyId)}/payperiods/${encodeURIComponent(path.payPeriodId)}/register`;
  return html`<section>
    <div class="title"><h2>Checks</h2><div>${open ? html`<${AddCheck} path=${path} added=${removed} />` : null}</div></div>
    <${Download} path=${csv} name=${`register-${path.payPeriodId}.csv`} title="Register as CSV" />
    <${WindowedTable} label="Checks" load=${load} inputs=${[path.payPeriodId, version, round]}
      columns=${columns(path.companyId)}
      unfold=${(/** @type {Check} */ check) => html`<${CheckLines} check=${check} path=${path} removed=${removed}
        version=${open ? version : undefined} />`}
      empty=${html`<${Empty} title="The pay period has no checks.">
        <p class="hint">Applications add checks with the partner API. You can add one with the button above, or <a href="#/transfer">import a spreadsheet</a>.</p>
      <//>`} />
  </section>`;
}

/**
 * @param {string} companyId
 * @returns {import('../parts/windowed.js').Column<Check>[]}
 */
function columns(companyId) {
  return [
    { title: 'Worker', cell: (check) => html`<a href=${to('companies', companyId, 'workers', check.workerId)}>${workerName(check)}</a>` },
    { title: 'Check', cell: (check) => html`<${Id} value=${check.checkNumber ?? check.paycheckId} />` },
    { title: 'Type', cell: (check) => (check.reversalOf ? `${check.checkType ?? 'Reversal'} of ${check.reversalOf}` : check.checkType ?? '–') },
    { title: 'Gross', number: true, cell: (check) => html`<${Money} value=${check.grossEarnings} />` },
    { title: 'Net', number: true, cell: (check) => html`<${Money} value=${check.netPay} />` },
  ];
}
