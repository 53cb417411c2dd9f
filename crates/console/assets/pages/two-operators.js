// Completing a pay period where two operators do it: one requests it, another one approves.
import { useState } from 'preact/hooks';
import { ApiError, api, body, idempotencyKey, one } from '../client/client.js';
import { useAction } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { html } from '../parts/html.js';
import { When } from '../parts/values.js';
import { TotalsOfPreview } from './totals.js';

/** @typedef {{companyId: string, payPeriodId: string}} Path */
/** @typedef {import('../client/client.js').Schemas['CompletionRequest']} CompletionRequest */
/** @typedef {{item: CompletionRequest, tag: string}} Pending */

/**
 * The pending request, if there is one.
 *
 * @param {Path} path
 * @returns {Promise<Pending | null>}
 */
export async function pendingRequest(path) {
  try {
    const request = await one(
      api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest', { params: { path } }),
    );
    return request.item.approvedBy ? null : request;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/**
 * Who requested the completion, and withdrawing that.
 *
 * @param {{path: Path, request: Pending, changed: () => void}} props
 */
export function PendingRequest({ path, request: { item, tag }, changed }) {
  const [asked, ask] = useState(false);
  const { busy, error, run, clear } = useAction();
  const begin = () => {
    clear();
    ask(true);
  };
  const withdraw = async () => {
    const params = { path, header: { 'If-Match': tag } };
    const done = await run(() => body(api.DELETE('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest', { params })));
    if (!done) return;
    ask(false);
    changed();
  };
  return html`
    <p class="warned">Completion was requested by <strong>${item.requestedBy.name}</strong>, <${When} value=${item.requestedDate} />.</p>
    <button type="button" onClick=${begin}>Withdraw the request</button>
    ${asked
      ? html`<${Dialog} title="Withdraw the request?" confirm="Withdraw" busy=${busy} error=${error} onClose=${() => ask(false)} onConfirm=${withdraw}>
          <p>The pay period stays as it is, and its completion can be requested again.</p>
        <//>`
      : null}
  `;
}

/**
 * Approves a request, below the totals that this stores.
 *
 * @param {{path: Path, request: Pending, totals: any, disabled: boolean, changed: () => void}} props
 */
export function Approve({ path, request, totals, disabled, changed }) {
  const [key, setKey] = useState('');
  const { busy, error, run, clear } = useAction();
  const begin = () => {
    clear();
    setKey(idempotencyKey());
  };
  const approve = async () => {
    const params = { path, header: { 'If-Match': request.tag, 'Idempotency-Key': key } };
    const done = await run(() => body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest/approve', { params })));
    if (!done) return;
    setKey('');
    changed();
  };
  return html`
    <div class="actions"><button type="button" class="primary" disabled=${disabled} onClick=${begin}>Approve</button></div>
    ${key === ''
      ? null
      : html`<${Dialog} title="Approve the completion?" confirm="Approve" danger busy=${busy} error=${error} onClose=${() => setKey('')} onConfirm=${approve}>
          <p>Approving completes the pay period. A completed check is never changed again.</p>
          <${TotalsOfPreview} totals=${totals} />
        <//>`}
  `;
}
