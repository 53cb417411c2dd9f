// A preview of completing a pay period. While a request to complete it is pending, it previews the approval of
// that request: the document of the request has taxes and deductions that the pay period itself lacks.
import { api, body } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Facts, Table } from '../parts/table.js';
import { Count, Id, Money, plain } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['CompletedPayPeriod']} Completed */
/** @typedef {import('../client/client.js').Schemas['CheckPay']} CheckPay */
/** @typedef {import('../client/client.js').Schemas['Error']} Fault */
/** @typedef {import('../client/client.js').Schemas['Warning']} Warning */

/** @type {import('../parts/windowed.js').Column<CheckPay>[]} */
const PAY = [
  { title: 'Check', cell: (check) => html`<${Id} value=${check.paycheckId} />` },
  { title: 'Worker', cell: (check) => html`<${Id} value=${check.workerId} />` },
  { title: 'Gross', number: true, cell: (check) => html`<${Money} value=${check.grossEarnings} />` },
  { title: 'Net', number: true, cell: (check) => html`<${Money} value=${check.netPay} />` },
];

/** Checks of a preview that are shown; the register shows all. */
const SHOWN = 200;

/** @typedef {{companyId: string, payPeriodId: string}} Path */
/** @typedef {import('./two-operators.js').Pending} Pending */

/**
 * @param {Path} path
 * @param {Pending | null} pending
 */
function load(path, pending) {
  return pending
    ? body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest/approve', {
        params: { path, query: { dryrun: true }, header: { 'If-Match': pending.tag } },
      }))
    : body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/complete', {
        params: { path, query: { dryrun: true } },
        body: { allowEmpty: true },
      }));
}

/** @param {{path: Path, period: {status: string}, version: string, pending: Pending | null}} props */
export function Preview({ path, period, version, pending }) {
  const inputs = [path.companyId, path.payPeriodId, version, period.status, pending?.tag];
  const preview = useLoad(() => load(path, pending), inputs);
  return html`<section>
    <h2>${pending ? 'Approval preview' : 'What completing would do'}</h2>
    ${pending
      ? html`<p class="hint">The figures that <strong>${pending.item.requestedBy.name}</strong> requested.
          Approving the request stores exactly these figures.</p>`
      : null}
    <${Loaded} of=${preview} what="the preview">
      ${(/** @type {{content: Completed[]}} */ { content: [shown] }) => shown && html`<${Shown} preview=${shown} />`}
    <//>
  </section>`;
}

/** @param {{preview: Completed}} props */
function Shown({ preview }) {
  const { totals, checks = [], faults = [], warnings = [], warningsLeftOut = 0 } = preview;
  return html`
    ${faults.length > 0
      ? html`<div class="failed" role="status">
          <p><strong>It cannot be completed as it is.</strong></p>
          <ul>${faults.map((/** @type {Fault} */ fault) => html`<li><strong>${fault.code}</strong> ${fault.description}</li>`)}</ul>
        </div>`
      : html`<p class="fine" role="status">Nothing stands against completing it.</p>`}
    ${warnings.length > 0
      ? html`<div class="warned">
          <p><strong>Look at this before:</strong></p>
          <ul>${warnings.map((/** @type {Warning} */ warning) => html`<li><strong>${plain(warning.warning)}</strong> ${warning.description}</li>`)}</ul>
          ${warningsLeftOut > 0 ? html`<p class="hint">and ${warningsLeftOut} more</p>` : null}
        </div>`
      : null}
    <${Facts} pairs=${[
      ['Checks', html`<${Count} value=${totals?.checks} />`],
      ['Gross', html`<${Money} value=${totals?.grossEarnings} />`],
      ['Employee taxes', html`<${Money} value=${totals?.employeeTaxes} />`],
      ['Deductions', html`<${Money} value=${totals?.deductions} />`],
      ['Net', html`<${Money} value=${totals?.netPay} />`],
      ['Employer taxes', html`<${Money} value=${totals?.employerTaxes} />`],
      ['Employer cost', html`<${Money} value=${totals?.employerCost} />`],
    ]} />
    <${Table} label="Pay by check" items=${checks.slice(0, SHOWN)} columns=${PAY} empty="No check would be completed." />
    ${checks.length > SHOWN ? html`<p class="hint">The first ${SHOWN} of ${checks.length} checks.</p>` : null}
  `;
}
