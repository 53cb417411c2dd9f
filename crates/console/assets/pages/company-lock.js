// The lock of a company: a notice with its holder and reason, and the actions that set and release the lock. A lock
// stops new checks of applications, and changes by other operators.
import { useState } from 'preact/hooks';
import { api, body, ifFound, one } from '../client/client.js';
import { mayWriteInCompany } from '../client/session.js';
import { useAction, useLoad } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { placedFaults } from '../parts/faults.js';
import { Failed } from '../parts/feedback.js';
import { Faults } from '../parts/fields.js';
import { html } from '../parts/html.js';
import { Instant, instant } from '../parts/instant.js';
import { to } from '../parts/router.js';
import { toast } from '../parts/toast.js';
import { When } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['CompanyLock']} Lock */
/** @typedef {ReturnType<typeof useLock>} LoadedLock */

/** Loads the lock of a company, or undefined if the company is not locked. @param {string} companyId */
export function useLock(companyId) {
  const params = { path: { companyId } };
  return useLoad(async () => (await ifFound(one(api.GET('/operator/v1/companies/{companyId}/lock', { params }))))?.item, [companyId]);
}

/** The button that locks a company without a lock. @param {{companyId: string, lock: LoadedLock}} props */
export function LockButton({ companyId, lock }) {
  const [isOpen, open] = useState(false);
  const isHidden = lock.loading || lock.error !== undefined || lock.value !== undefined;
  if (isHidden || !mayWriteInCompany('payroll')) return null;
  const close = () => {
    open(false);
    lock.reload();
  };
  return html`<button type="button" onClick=${() => open(true)}>Lock</button>
    ${isOpen ? html`<${LockDialog} companyId=${companyId} close=${close} />` : null}`;
}

/** @param {{companyId: string, close: () => void}} props */
function LockDialog({ companyId, close }) {
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState('');
  const { busy, error, run } = useAction();
  const { placed, rest } = placedFaults(FIELDS, error);
  const set = async () => {
    const document = { ...(reason.trim() ? { reason: reason.trim() } : {}), ...(end ? { expiresDate: instant(end) } : {}) };
    const isLocked = await run(() => body(api.PUT('/operator/v1/companies/{companyId}/lock', { params: { path: { companyId } }, body: document })));
    if (!isLocked) return;
    toast('The company is locked.');
    close();
  };
  const faults = placed.get('/reason') ?? [];
  return html`<${Dialog} title="Lock the company?" confirm="Lock" busy=${busy} error=${rest} onConfirm=${set} onClose=${close}>
    <p>While the company is locked, applications cannot add checks, and only you can change its workers, pay components and pay periods. All data can still be read. Enter the end in your time zone, or unlock the company yourself.</p>
    <div class="form">
      <div class="field"><label for="lock-reason">Reason <span class="optional">(optional)</span></label>
        <input id="lock-reason" value=${reason} autocomplete="off" aria-invalid=${faults.length > 0} aria-describedby="lock-reason-help lock-reason-faults"
          onInput=${(/** @type {any} */ event) => setReason(event.target.value)} />
        <span class="hint" id="lock-reason-help">The reason is shown to operators and to applications whose requests are rejected.</span>
        <${Faults} id="lock-reason-faults" faults=${faults} /></div>
      <${Instant} label="Ends (optional)" value=${end} faults=${placed.get('/expiresDate')} onInput=${setEnd} />
    </div>
  <//>`;
}

/** The members of a lock that have a field. */
const FIELDS = ['reason', 'expiresDate'].map((name) => /** @type {import('../parts/schema.js').Field} */ ({ name, kind: 'text' }));

/** Shows the lock of a company, if it has one. @param {{companyId: string, lock: LoadedLock}} props */
export function LockNotice({ companyId, lock }) {
  if (lock.error) return html`<${Failed} error=${lock.error} />`;
  if (!lock.value) return null;
  const { holder, reason, expiresDate, payPeriodId } = lock.value;
  if (payPeriodId) {
    return html`<div class="warned" role="status"><p><strong>The company is locked</strong> while its
      ${' '}<a href=${to('companies', companyId, 'payperiods', payPeriodId)}>pay period</a> is in processing. Applications cannot add checks.
      To unlock the company, complete or reopen the period.</p></div>`;
  }
  return html`<div class="warned" role="status"><p><strong>The company is locked by <bdi>${holder}</bdi></strong>${
    reason ? html`: <bdi>${reason}</bdi>` : ''}. ${expiresDate ? html`The lock ends ${' '}<${When} value=${expiresDate} />. ` : ''}Applications cannot add checks.</p>
    <${UnlockButton} companyId=${companyId} holder=${holder ?? ''} lock=${lock} /></div>`;
}

/** @param {{companyId: string, holder: string, lock: LoadedLock}} props */
function UnlockButton({ companyId, holder, lock }) {
  const [isOpen, open] = useState(false);
  const { busy, error, run } = useAction();
  if (!mayWriteInCompany('payroll')) return null;
  const close = () => {
    open(false);
    lock.reload();
  };
  const unlock = async () => {
    const isUnlocked = await run(() => body(api.DELETE('/operator/v1/companies/{companyId}/lock', { params: { path: { companyId } } })));
    if (!isUnlocked) return;
    toast('The company is unlocked.');
    close();
  };
  return html`<button type="button" onClick=${() => open(true)}>Unlock</button>
    ${isOpen ? html`<${Dialog} title="Unlock the company?" confirm="Unlock" busy=${busy} error=${error} onConfirm=${unlock} onClose=${close}>
      <p>${holder} has locked the company. Afterwards, applications can add checks again, and all operators can change the company.</p>
    <//>` : null}`;
}
