// A completed pay period: the operator who completed it, and the next steps.
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { When } from '../parts/values.js';
import { Download } from './download.js';

/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {{companyId: string, payPeriodId: string}} Path */

/**
 * @param {{path: Path, period: Period, request: import('./two-operators.js').Pending | null | undefined}} props `request` is the
 *   approved request if two operators completed the period.
 */
export function CompletedPanel({ path, period, request }) {
  const own = to('companies', path.companyId, 'payperiods', path.payPeriodId);
  const csv = `/operator/v1/companies/${encodeURIComponent(path.companyId)}/payperiods/${encodeURIComponent(path.payPeriodId)}`;
  const approval = request?.item.approvedBy ? request.item : undefined;
  return html`<div class="fine" role="status">
    <p><strong>The pay period is ${period.status === 'COMPLETED' ? 'completed' : 'processed'}.</strong>
      ${approval ? html` ${approval.requestedBy.name} requested it, and ${approval.approvedBy?.name} approved it, <${When} value=${approval.approvedDate} />.` : null}</p>
    <p>Next steps:</p>
    <ul>
      <li>Pay the workers: <a href=${own}>review the checks</a>. <${Download} path=${`${csv}/register`} name=${`register-${path.payPeriodId}.csv`} title="Download the register" /></li>
      <li>Hand out <a href=${to('companies', path.companyId, 'payperiods', path.payPeriodId, 'statements')}>the pay statements</a>: one page for each check, to print or to save as PDF.</li>
      <li>Book the run: <a href=${`${own}?view=journal`}>open the journal</a>. <${Download} path=${`${csv}/journal`} name=${`journal-${path.payPeriodId}.csv`} title="Download the journal" /></li>
    </ul>
  </div>`;
}
