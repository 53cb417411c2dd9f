// Completion of a pay period by two operators: one operator requests the completion, and another approves it.
import { useState } from 'preact/hooks';
import { ApiError, api, body, idempotencyKey, ifFound, one } from '../client/client.js';
import { useAction } from '../api/load.js';
import { approvalsChanged } from '../client/approvals.js';
import { useSession } from '../client/session.js';
import { Dialog } from '../parts/dialog.js';
import { toast } from '../parts/toast.js';
import { html } from '../parts/html.js';
import { When } from '../parts/values.js';
import { TotalsOfPreview } from './totals.js';

/** @typedef {{companyId: string, payPeriodId: string}} Path */
/** @typedef {import('../client/client.js').Schemas['CompletionRequest']} CompletionRequest */
/** @typedef {{item: CompletionRequest, tag: string}} Pending */

/**
 * Returns whether the signed-in operator created a request. The server compares the names more strictly and
 * can reject an approval that passes this check.
 *
 * @param {CompletionRequest} request
 * @param {import('../client/session.js').Session | null | undefined} session
 */
export function isOwnRequest({ requestedBy }, session) {
  const folded = (/** @type {string} */ name) => name.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ');
  return requestedBy.kind === 'operator' && session != null && folded(requestedBy.name) === folded(session.operatorName);
}

/**
 * Returns the request to complete a period, pending or approved, if it exists.
 *
 * @param {Path} path
 * @returns {Promise<Pending | null>}
 */
export function completionRequest(path) {
  return ifFound(one(
    api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest', { params: { path } }),
  ));
}

/**
 * Shows the operator who requested the completion, and a button that withdraws the request.
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
    const whenStale = () => {
      toast('The request has changed. Review it, and withdraw it again.');
      ask(false);
      changed();
    };
    const done = await run(
      () => body(api.DELETE('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest', { params })),
      whenStale,
    );
    if (!done) return;
    ask(false);
    approvalsChanged();
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
 * Approves a request, below the totals that the approval stores. The operator who created the request sees
 * who can approve it.
 *
 * @param {{path: Path, request: Pending, totals: any, disabled: boolean, changed: () => void,
 *   rejected: (failure: unknown) => void}} props
 */
export function Approve({ path, request, totals, disabled, changed, rejected }) {
  const session = useSession();
  const [key, setKey] = useState('');
  const { busy, error, run, clear } = useAction();
  const begin = () => {
    clear();
    setKey(idempotencyKey());
  };
  const approve = async () => {
    const params = { path, header: { 'If-Match': request.tag, 'Idempotency-Key': key } };
    /** @type {unknown} */
    let failure;
    const done = await run(() =>
      body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest/approve', { params }))
        .catch((reason) => {
          failure = reason;
          throw reason;
        }));
    approvalsChanged();
    if (failure instanceof ApiError && [404, 409, 412].includes(failure.status)) rejected(failure);
    if (!done) return;
    setKey('');
    changed();
  };
  if (isOwnRequest(request.item, session)) {
    return html`<p class="warned">You requested this completion. Another operator must approve it.</p>`;
  }
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
