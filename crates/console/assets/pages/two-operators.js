// Completing a pay period where two operators do it: one requests it, another one approves.
import { useState } from 'preact/hooks';
import { ApiError, api, body, idempotencyKey, one } from '../client/client.js';
import { useAction } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Facts } from '../parts/table.js';
import { Count, Money, When } from '../parts/values.js';

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
 * @param {{path: Path, tag: string, request: {value: Pending | null | undefined, error: unknown},
 *   changed: () => void}} props
 */
export function TwoOperators({ path, tag, request, changed }) {
  const [asked, ask] = useState(/** @type {'request' | 'approve' | 'withdraw' | undefined} */ (undefined));
  const [key, setKey] = useState('');
  const { busy, error, run, clear } = useAction();
  const begin = (/** @type {'request' | 'approve' | 'withdraw'} */ move) => {
    clear();
    setKey(idempotencyKey());
    ask(move);
  };
  const act = async (/** @type {() => Promise<unknown>} */ action) => {
    if (!(await run(action))) return;
    ask(undefined);
    changed();
  };
  if (request.error) return html`<${Failed} error=${request.error} />`;
  if (request.value === undefined) return null;
  const found = request.value;
  if (found === null) {
    return html`
      <button type="button" class="primary" onClick=${() => begin('request')}>Request completion</button>
      ${asked === 'request'
        ? html`<${Dialog} title="Request the completion?" confirm="Request" busy=${busy} error=${error} onClose=${() => ask(undefined)}
            onConfirm=${() => act(() => body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest', {
              params: { path, header: { 'If-Match': tag, 'Idempotency-Key': key } },
              body: {},
            })))}>
            <p>Another operator looks at it and approves, which completes the pay period.</p>
          <//>`
        : null}
    `;
  }
  const { item, tag: version } = found;
  return html`
    <p class="warned">Completion was requested by <strong>${item.requestedBy.name}</strong>, <${When} value=${item.requestedDate} />.</p>
    <button type="button" class="primary" onClick=${() => begin('approve')}>Approve</button>
    <button type="button" onClick=${() => begin('withdraw')}>Withdraw the request</button>
    ${asked === 'approve'
      ? html`<${Dialog} title="Approve the completion?" confirm="Approve" danger busy=${busy} error=${error} onClose=${() => ask(undefined)}
          onConfirm=${() => act(() => body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest/approve', {
            params: { path, header: { 'If-Match': version, 'Idempotency-Key': key } },
          })))}>
          <p>The pay period is completed; what is completed is never changed again.</p>
          <${Facts} pairs=${[
            ['Checks', html`<${Count} value=${item.totals.checks} />`],
            ['Workers', html`<${Count} value=${item.totals.workers} />`],
            ['Gross', html`<${Money} value=${item.totals.grossEarnings} />`],
            ['Employee taxes', html`<${Money} value=${item.totals.employeeTaxes} />`],
            ['Deductions', html`<${Money} value=${item.totals.deductions} />`],
            ['Net', html`<${Money} value=${item.totals.netPay} />`],
          ]} />
        <//>`
      : null}
    ${asked === 'withdraw'
      ? html`<${Dialog} title="Withdraw the request?" confirm="Withdraw" busy=${busy} error=${error} onClose=${() => ask(undefined)}
          onConfirm=${() => act(() => body(api.DELETE('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest', {
            params: { path, header: { 'If-Match': version } },
          })))}>
          <p>The pay period stays as it is, and its completion can be requested again.</p>
        <//>`
      : null}
  `;
}
