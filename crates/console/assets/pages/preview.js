// The figures of a completion before it is stored: those of a document that is entered here, and those of a
// request to complete, which another operator approves.
import { useState } from 'preact/hooks';
import { api, one } from '../client/client.js';
import { registerPage, workerName } from '../client/register.js';
import { useLoad } from '../api/load.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { Id, Money, plain } from '../parts/values.js';
import { CompletionFaults } from './completion-editor.js';
import { TotalsOfPreview } from './totals.js';
import { Approve } from './two-operators.js';

/** @typedef {import('../client/client.js').Schemas['CompletedPayPeriod']} Completed */
/** @typedef {import('../client/client.js').Schemas['CheckPay']} CheckPay */
/** @typedef {import('../client/client.js').Schemas['Warning']} Warning */
/** @typedef {{companyId: string, payPeriodId: string}} Path */
/** @typedef {import('./two-operators.js').Pending} Pending */

/** Checks of a preview that are shown; the register shows all. */
const SHOWN = 200;

/**
 * The names of the workers of the first checks, by check.
 *
 * @param {Path} path
 * @param {string} version of the period
 * @returns {Map<string, string>}
 */
export function useNames(path, version) {
  const names = useLoad(async () => {
    const { items } = await registerPage(path, 0, SHOWN);
    return new Map(items.map((check) => [check.paycheckId, workerName(check)]));
  }, [path.companyId, path.payPeriodId, version]);
  return names.value ?? new Map();
}

/** Whether no check of a preview has a tax. @param {Completed} figures */
function lacksTaxes({ checks = [], totals }) {
  const isZero = (/** @type {string | undefined} */ amount) => !/[1-9]/.test(amount ?? '');
  return checks.length > 0 && isZero(totals?.employerTaxes) && checks.every((check) => isZero(check.employeeTaxes));
}

/**
 * The figures of a preview without faults, with what stores them between the totals and the checks.
 *
 * @param {{figures: Completed, names: Map<string, string>, action: (isDisabled: boolean) => any}} props
 */
export function Figures({ figures, names, action }) {
  // The tick counts for the figures that were shown with it.
  const [accepted, accept] = useState(/** @type {Completed | undefined} */ (undefined));
  const { totals, checks = [], warnings = [], warningsLeftOut = 0 } = figures;
  const needsTick = lacksTaxes(figures);
  /** @type {import('../parts/windowed.js').Column<CheckPay>[]} */
  const columns = [
    { title: 'Worker', cell: (check) => names.get(check.paycheckId) ?? html`<${Id} value=${check.workerId} />` },
    { title: 'Check', cell: (check) => html`<${Id} value=${check.paycheckId} />` },
    { title: 'Gross', number: true, cell: (check) => html`<${Money} value=${check.grossEarnings} />` },
    { title: 'Employee taxes', number: true, cell: (check) => html`<${Money} value=${check.employeeTaxes} />` },
    { title: 'Deductions', number: true, cell: (check) => html`<${Money} value=${check.deductions} />` },
    { title: 'Net', number: true, cell: (check) => html`<${Money} value=${check.netPay} />` },
  ];
  return html`
    ${warnings.length > 0
      ? html`<div class="warned">
          <p><strong>Warnings</strong></p>
          <ul>${warnings.map((/** @type {Warning} */ warning) => html`<li><strong>${plain(warning.warning)}</strong> ${warning.description}</li>`)}</ul>
          ${warningsLeftOut > 0 ? html`<p class="hint">and ${warningsLeftOut} more</p>` : null}
        </div>`
      : null}
    <${TotalsOfPreview} totals=${totals} />
    ${needsTick
      ? html`<div class="warned">
          <p><strong>No check has taxes.</strong> Net pay would be gross pay less deductions.</p>
          <p><label><input type="checkbox" checked=${accepted === figures}
            onChange=${(/** @type {any} */ event) => accept(event.target.checked ? figures : undefined)} /> The checks are right without taxes</label></p>
        </div>`
      : null}
    ${action(needsTick && accepted !== figures)}
    <${Table} label="Pay by check" items=${checks.slice(0, SHOWN)} columns=${columns} empty="The pay period has no checks." />
    ${checks.length > SHOWN ? html`<p class="hint">The first ${SHOWN} of ${checks.length} checks.</p>` : null}
  `;
}

/**
 * The figures of a pending request, which approving it stores.
 *
 * @param {{path: Path, version: string, pending: Pending, changed: () => void}} props
 */
export function ApprovalPreview({ path, version, pending, changed }) {
  const names = useNames(path, version);
  const preview = useLoad(() => one(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest/approve', {
    params: { path, query: { dryrun: true }, header: { 'If-Match': pending.tag } },
  })), [path.companyId, path.payPeriodId, version, pending.tag]);
  return html`<section>
    <h2>Approval preview</h2>
    <p class="hint">The figures that <strong>${pending.item.requestedBy.name}</strong> requested.
      Approving the request stores exactly these figures.</p>
    <${Loaded} of=${preview} what="the preview">
      ${(/** @type {{item: Completed}} */ { item }) => (item.faults ?? []).length > 0
        ? html`<${CompletionFaults} faults=${item.faults} isCsv=${false} names=${names} />`
        : html`<${Figures} figures=${item} names=${names} action=${(/** @type {boolean} */ isDisabled) =>
            html`<${Approve} path=${path} request=${pending} totals=${item.totals} disabled=${isDisabled} changed=${changed} />`} />`}
    <//>
  </section>`;
}
