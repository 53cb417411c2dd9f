// The steps of a pay period other than its completion: process and reopen. Each dialog first explains the
// effect.
import { useState } from 'preact/hooks';
import { api, body, idempotencyKey, one } from '../client/client.js';
import { useAction } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { setQuery } from '../parts/router.js';
import { toast } from '../parts/toast.js';
import { PendingRequest } from './two-operators.js';

/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {{companyId: string, payPeriodId: string}} Path */

/**
 * @param {{path: Path, period: Period, tag: string, changed: () => void, isCompletion: boolean,
 *   request: {value: import('./two-operators.js').Pending | null | undefined, error: unknown}}} props `isCompletion` is true if
 *   the completion and its buttons are shown below.
 */
export function Moves({ path, period, tag, request, changed, isCompletion }) {
  const pending = request.value;
  const [asked, ask] = useState(/** @type {'process' | 'reopen' | undefined} */ (undefined));
  const { busy, error, run, clear } = useAction();
  const [key, setKey] = useState('');
  const open = period.status === 'INITIAL' || period.status === 'ENTRY';
  const begin = (/** @type {'process' | 'reopen'} */ move) => {
    clear();
    setKey(idempotencyKey());
    ask(move);
  };
  const move = async (/** @type {() => Promise<unknown>} */ action) => {
    const whenStale = () => {
      toast('The pay period has changed. Review it, and confirm again.');
      ask(undefined);
      changed();
    };
    if (!(await run(action, whenStale))) return;
    ask(undefined);
    changed();
  };
  // Partners can add checks all the time. They are reviewed after this step, so it applies to the current version.
  const process = async () => {
    const current = await one(api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}', { params: { path } }));
    const header = { 'If-Match': current.tag, 'Idempotency-Key': key };
    await body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/process', { params: { path, header } }));
  };
  const params = { path, header: { 'If-Match': tag, 'Idempotency-Key': key } };
  return html`<div class="actions">
    ${open ? html`<button type="button" class="primary" onClick=${() => begin('process')}>Process</button>` : null}
    ${period.status === 'PROCESSING'
      ? html`${pending ? html`<${PendingRequest} key=${pending.tag} path=${path} request=${pending} changed=${changed} />` : null}
          <${Failed} error=${request.error} />
          ${isCompletion || pending === undefined
            ? null
            : html`<button type="button" class="primary" onClick=${() => setQuery({ view: 'preview' })}>
                ${pending ? 'Review and approve' : 'Review and complete'}</button>`}
          <button type="button" onClick=${() => begin('reopen')}>Reopen</button>`
      : null}
    ${asked === 'process'
      ? html`<${Dialog} title="Process the pay period?" confirm="Process" busy=${busy} error=${error}
          onClose=${() => ask(undefined)}
          onConfirm=${() => move(process)}>
          <p>This closes the pay period for checks and locks the company, so that you can complete the pay period. Until then, you can reopen it.</p>
        <//>`
      : null}
    ${asked === 'reopen'
      ? html`<${Dialog} title="Reopen the pay period?" confirm="Reopen" busy=${busy} error=${error}
          onClose=${() => ask(undefined)}
          onConfirm=${() => move(() => body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/reopen', { params })))}>
          <p>Checks can be added and deleted again, and the company is unlocked. A pending completion request is withdrawn.</p>
        <//>`
      : null}
  </div>`;
}
