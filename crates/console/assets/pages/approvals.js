// The list of approvals: pending completion requests and bank accounts of all companies, the oldest first.
import { api, page } from '../client/client.js';
import { needsTwoOperators } from '../client/server.js';
import { mayReadPersonalData, mayWrite, useSession } from '../client/session.js';
import { Empty } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Count, Money, When } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';
import { CompanyLink, PayPeriodLink } from './names.js';
import { DepositApprovals } from './deposit-approvals.js';
import { isOwnRequest } from './two-operators.js';

/** @typedef {import('../client/client.js').Schemas['CompletionRequest']} CompletionRequest */

/** Opens a pay period at its completion. */
const AT_COMPLETION = '?view=preview';

/**
 * @param {import('../client/session.js').Session | null | undefined} session
 * @returns {import('../parts/windowed.js').Column<CompletionRequest>[]}
 */
function columns(session) {
  return [
    { title: 'Company', cell: (it) => html`<${CompanyLink} id=${it.companyId} />` },
    { title: 'Pay period', cell: (it) => html`<${PayPeriodLink} companyId=${it.companyId} id=${it.payPeriodId} query=${AT_COMPLETION} />` },
    { title: 'Requested by', cell: (it) => (isOwnRequest(it, session) ? html`${it.requestedBy.name} (you)` : it.requestedBy.name) },
    { title: 'Requested', cell: (it) => html`<${When} value=${it.requestedDate} />` },
    { title: 'Checks', number: true, cell: (it) => html`<${Count} value=${it.totals.checks} />` },
    { title: 'Gross', number: true, cell: (it) => html`<${Money} value=${it.totals.grossEarnings} />` },
    { title: 'Net', number: true, cell: (it) => html`<${Money} value=${it.totals.netPay} />` },
    {
      title: 'Action',
      cell: (it) => html`<a href=${`${to('companies', it.companyId, 'payperiods', it.payPeriodId)}${AT_COMPLETION}`}>
        ${!mayWrite('payroll') || isOwnRequest(it, session) ? 'View' : 'Review and approve'}</a>`,
    },
  ];
}

export function Approvals() {
  return html`
    <h1>Approvals</h1>
    ${needsTwoOperators ? html`<${Completions} />` : null}
    ${mayReadPersonalData() ? html`<${DepositApprovals} />` : null}
  `;
}

function Completions() {
  const session = useSession();
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/completionrequests', { params: { query: { offset, limit } } }));
  return html`
    <h2>Pay runs</h2>
    <p class="hint">One operator requests the completion of a pay period. Another operator reviews the figures and approves them.</p>
    <${WindowedTable} label="Pending completion requests" load=${load} inputs=${[]} columns=${columns(session)}
      empty=${html`<${Empty} title="No completion request is pending.">
        <p>Process a pay period and request its completion. The request then appears here.</p>
        <p><a href="#/runs">Go to the pay runs</a></p>
      <//>`} />
  `;
}
