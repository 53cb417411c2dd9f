// What can be done with a pay period: process, complete, reopen. Each says first what it does.
import { useState } from 'preact/hooks';
import { api, body, idempotencyKey } from '../client/client.js';
import { useAction } from '../api/load.js';
import { needsTwoOperators } from '../client/server.js';
import { Dialog } from '../parts/dialog.js';
import { html } from '../parts/html.js';
import { Facts } from '../parts/table.js';
import { Count, Money } from '../parts/values.js';
import { TwoOperators } from './two-operators.js';

/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {{companyId: string, payPeriodId: string}} Path */

/**
 * @param {{path: Path, period: Period, tag: string, changed: () => void,
 *   request: {value: import('./two-operators.js').Pending | null | undefined, error: unknown}}} props
 */
export function Moves({ path, period, tag, request, changed }) {
  const [asked, ask] = useState(/** @type {'process' | 'complete' | 'reopen' | undefined} */ (undefined));
  const { busy, error, run, clear } = useAction();
  const [allowEmpty, setAllowEmpty] = useState(false);
  const [key, setKey] = useState('');
  const open = period.status === 'INITIAL' || period.status === 'ENTRY';
  const isEmpty = period.totals?.checks === 0;
  const begin = (/** @type {'process' | 'complete' | 'reopen'} */ move) => {
    clear();
    setKey(idempotencyKey());
    ask(move);
  };
  const move = async (/** @type {() => Promise<unknown>} */ action) => {
    if (!(await run(action))) return;
    ask(undefined);
    changed();
  };
  const headers = { 'If-Match': tag, 'Idempotency-Key': key };
  const params = { path, header: headers };
  return html`<div class="actions">
    ${open ? html`<button type="button" class="primary" onClick=${() => begin('process')}>Process</button>` : null}
    ${period.status === 'PROCESSING'
      ? html`${needsTwoOperators
            ? html`<${TwoOperators} path=${path} tag=${tag} request=${request} changed=${changed} />`
            : html`<button type="button" class="primary" onClick=${() => begin('complete')}>Complete</button>`}
          <button type="button" onClick=${() => begin('reopen')}>Open again</button>`
      : null}
    ${asked === 'process'
      ? html`<${Dialog} title="Process the pay period?" confirm="Process" busy=${busy} error=${error}
          onClose=${() => ask(undefined)}
          onConfirm=${() => move(() => body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/process', { params })))}>
          <p>From then on nobody adds a check to it, until it is opened again.</p>
        <//>`
      : null}
    ${asked === 'reopen'
      ? html`<${Dialog} title="Open the pay period again?" confirm="Open again" busy=${busy} error=${error}
          onClose=${() => ask(undefined)}
          onConfirm=${() => move(() => body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/reopen', { params })))}>
          <p>Applications can add checks to it and remove their own.</p>
        <//>`
      : null}
    ${asked === 'complete'
      ? html`<${Dialog} title="Complete the pay period?" confirm="Complete" busy=${busy} error=${error} danger
          disabled=${isEmpty && !allowEmpty} onClose=${() => ask(undefined)}
          onConfirm=${() => move(() => body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/complete', {
            params,
            body: { allowEmpty: isEmpty && allowEmpty },
          })))}>
          <p>What is completed is never changed again; a check can be reversed in a later period.</p>
          <${Facts} pairs=${[
            ['Checks', html`<${Count} value=${period.totals?.checks} />`],
            ['Workers', html`<${Count} value=${period.totals?.workers} />`],
            ['Gross', html`<${Money} value=${period.totals?.grossEarnings} />`],
            ['Deductions', html`<${Money} value=${period.totals?.deductions} />`],
          ]} />
          ${isEmpty
            ? html`<p><label><input type="checkbox" checked=${allowEmpty}
                onChange=${(/** @type {any} */ event) => setAllowEmpty(event.target.checked)} /> Nobody is paid in this period</label></p>`
            : null}
        <//>`
      : null}
  </div>`;
}
