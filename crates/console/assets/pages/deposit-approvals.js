// Bank accounts that applications have added or changed. An operator approves or rejects them.
import { useState } from 'preact/hooks';
import { api, one, page } from '../client/client.js';
import { approvalsChanged } from '../client/approvals.js';
import { mayWrite } from '../client/session.js';
import { useAction, useLoad } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Facts, Table } from '../parts/table.js';
import { toast } from '../parts/toast.js';
import { Day, Money, choiceText, decimalText } from '../parts/values.js';
import { CompanyLink, WorkerLink } from './names.js';

/** @typedef {import('../client/client.js').Schemas['PendingDirectDeposit']} Pending */
/** @typedef {import('../client/client.js').Schemas['DirectDeposit']} Deposit */

const ONE = '/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits/{directDepositId}';

/** @param {{it: Pending, decided: () => void}} props */
function Decision({ it, decided }) {
  const [asked, ask] = useState(/** @type {'approve' | 'refuse' | undefined} */ (undefined));
  return html`
    <button type="button" class="quiet" onClick=${() => ask('approve')}>Approve</button>
    <button type="button" class="quiet" onClick=${() => ask('refuse')}>Reject</button>
    ${asked ? html`<${DecisionDialog} it=${it} step=${asked} decided=${decided} close=${() => ask(undefined)} />` : null}`;
}

/**
 * Shows the stored account, and approves or rejects exactly this version. The application may have changed
 * the account after the list was loaded.
 *
 * @param {{it: Pending, step: 'approve' | 'refuse', decided: () => void, close: () => void}} props
 */
function DecisionDialog({ it, step, decided, close }) {
  const path = { companyId: it.companyId, workerId: it.workerId, directDepositId: it.directDepositId };
  const stored = useLoad(() => one(api.GET(ONE, { params: { path } })), []);
  const [isStale, setStale] = useState(false);
  const { busy, error, run } = useAction();
  const whenStale = () => {
    setStale(true);
    stored.reload();
    decided();
  };
  const decide = async () => {
    const params = { path, header: { 'If-Match': stored.value?.tag ?? '' } };
    const done = await run(() => one(step === 'approve' ? api.POST(`${ONE}/approve`, { params }) : api.POST(`${ONE}/refuse`, { params })), whenStale);
    if (!done) return;
    close();
    toast(step === 'approve' ? 'The bank account is approved.' : 'The bank account is rejected.');
    decided();
    approvalsChanged();
  };
  const isApproval = step === 'approve';
  return html`<${Dialog} title=${isApproval ? 'Approve the bank account?' : 'Reject the bank account?'} confirm=${isApproval ? 'Approve' : 'Reject'}
    danger=${isApproval} busy=${busy || stored.loading} disabled=${!stored.value} error=${error ?? stored.error} onConfirm=${decide} onClose=${close}>
    ${isStale ? html`<p class="warned" role="alert"><strong>The account has changed since it was shown.</strong> Your decision was not stored. Check the account again:</p>` : null}
    ${stored.value ? html`<${Account} deposit=${stored.value.item} />` : null}
    <p>${isApproval ? 'From the next pay run on, pay goes to this account.' : 'The new account or the change is discarded, and pay continues as before.'}</p>
  <//>`;
}

/** The value of a deposit: an amount, or a percentage of the pay. @param {{of: {paymentType?: string, value?: string}}} props */
function Value({ of: { paymentType, value } }) {
  if (value === undefined) return '–';
  if (paymentType !== 'PERCENTAGE') return html`<${Money} value=${value} />`;
  // The server sends four decimals, usually zeros.
  return `${decimalText(value.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''))} %`;
}

/** @param {{deposit: Deposit}} props */
function Account({ deposit }) {
  const next = deposit.pendingChange ?? deposit;
  return html`<${Facts} pairs=${[
    ['Account', `${choiceText(deposit.accountType)} ${deposit.accountNumber}`],
    ['Routing number', deposit.routingNumber],
    ['Payment', choiceText(next.paymentType)],
    ['Value', html`<${Value} of=${next} />`],
    ['Before', deposit.pendingChange ? html`${choiceText(deposit.paymentType)}: <${Value} of=${deposit} />` : 'new'],
    ['Start date', html`<${Day} value=${deposit.startDate} />`],
  ]} />`;
}

/** @param {() => void} decided @returns {import('../parts/windowed.js').Column<Pending>[]} */
function columns(decided) {
  return [
    { title: 'Company', cell: (it) => html`<${CompanyLink} id=${it.companyId} />` },
    { title: 'Worker', cell: (it) => html`<${WorkerLink} companyId=${it.companyId} id=${it.workerId} />` },
    { title: 'Account', cell: (it) => `${choiceText(it.accountType)} ${it.accountNumber}` },
    { title: 'Payment', cell: (it) => choiceText((it.pendingChange ?? it).paymentType) },
    { title: 'Value', number: true, cell: (it) => html`<${Value} of=${it.pendingChange ?? it} />` },
    { title: 'Before', number: true, cell: (it) => (it.pendingChange ? html`<${Value} of=${it} />` : 'new') },
    { title: 'Requested by', cell: (it) => it.requestedBy ?? '–' },
    { title: 'Requested', cell: (it) => html`<${Day} value=${it.requestedDate} />` },
    { title: 'Action', cell: (it) => (mayWrite('payroll') ? html`<${Decision} key=${`${it.companyId}/${it.directDepositId}`} it=${it} decided=${decided} />` : '–') },
  ];
}

export function DepositApprovals() {
  const pending = useLoad(() => page(api.GET('/operator/v1/depositrequests')), []);
  return html`
    <h2>Bank accounts</h2>
    <p class="hint">Bank accounts of workers that an application has added or changed. Before you approve one, confirm it with the worker.</p>
    <${Loaded} of=${pending} what="the bank accounts">
      ${(/** @type {{items: Pending[]}} */ { items }) => html`
        <${Table} label="Pending bank accounts" items=${items} columns=${columns(pending.reload)} empty="No bank account is pending." />`}
    <//>
  `;
}
