// Bank accounts that applications have added or changed. An operator approves or rejects them.
import { api, one, page } from '../client/client.js';
import { approvalsChanged } from '../client/approvals.js';
import { mayWrite } from '../client/session.js';
import { useAction, useLoad } from '../api/load.js';
import { Failed, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { Day, Money, choiceText } from '../parts/values.js';
import { CompanyLink, WorkerLink } from './names.js';

/** @typedef {import('../client/client.js').Schemas['PendingDirectDeposit']} Pending */

const ONE = '/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits/{directDepositId}';

/** @param {{it: Pending, decided: () => void}} props */
function Decision({ it, decided }) {
  const { busy, error, run } = useAction();
  const params = { path: { companyId: it.companyId, workerId: it.workerId, directDepositId: it.directDepositId } };
  const decide = async (/** @type {boolean} */ approves) => {
    const done = await run(() => (approves ? one(api.POST(`${ONE}/approve`, { params })) : one(api.POST(`${ONE}/refuse`, { params }))));
    if (!done) return;
    decided();
    approvalsChanged();
  };
  return html`
    <button type="button" class="quiet" disabled=${busy} onClick=${() => decide(true)}>Approve</button>
    <button type="button" class="quiet" disabled=${busy} onClick=${() => decide(false)}>Reject</button>
    ${error ? html`<${Failed} error=${error} />` : null}`;
}

/** @param {() => void} decided @returns {import('../parts/windowed.js').Column<Pending>[]} */
function columns(decided) {
  const amount = (/** @type {string | undefined} */ value) => (value === undefined ? '–' : html`<${Money} value=${value} />`);
  return [
    { title: 'Company', cell: (it) => html`<${CompanyLink} id=${it.companyId} />` },
    { title: 'Worker', cell: (it) => html`<${WorkerLink} companyId=${it.companyId} id=${it.workerId} />` },
    { title: 'Account', cell: (it) => `${choiceText(it.accountType)} ${it.accountNumber}` },
    { title: 'Payment', cell: (it) => choiceText((it.pendingChange ?? it).paymentType) },
    { title: 'Value', number: true, cell: (it) => amount((it.pendingChange ?? it).value) },
    { title: 'Until now', number: true, cell: (it) => (it.pendingChange ? amount(it.value) : 'new') },
    { title: 'Requested by', cell: (it) => it.requestedBy ?? '–' },
    { title: 'Requested', cell: (it) => html`<${Day} value=${it.requestedDate} />` },
    { title: 'Action', cell: (it) => (mayWrite('payroll') ? html`<${Decision} key=${`${it.companyId}/${it.directDepositId}`} it=${it} decided=${decided} />` : '–') },
  ];
}

export function DepositApprovals() {
  const pending = useLoad(() => page(api.GET('/operator/v1/depositrequests')), []);
  return html`
    <h2>Bank accounts</h2>
    <p class="hint">An application has added or changed an account that pay goes to. Ask the worker before you approve it.</p>
    <${Loaded} of=${pending} what="the bank accounts">
      ${(/** @type {{items: Pending[]}} */ { items }) => html`
        <${Table} label="Pending bank accounts" items=${items} columns=${columns(pending.reload)} empty="No bank account is pending." />`}
    <//>
  `;
}
