// Applications' requests for access to companies, the oldest first.
import { useState } from 'preact/hooks';
import { api, body, idempotencyKey, page } from '../client/client.js';
import { useAction } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { Dialog } from '../parts/dialog.js';
import { Empty } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { When } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';
import { ScopeFields } from './scopes.js';

/** @typedef {import('../client/client.js').Schemas['AccessRequest']} AccessRequest */

export function AccessRequests() {
  const [deciding, decide] = useState(/** @type {{request: AccessRequest, grant: boolean, key: string} | undefined} */ (undefined));
  const [scopes, setScopes] = useState(/** @type {AccessRequest['scopes']} */ ([]));
  const [round, again] = useState(0);
  const { busy, error, run, clear } = useAction();
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/accessrequests', { params: { query: { offset, limit } } }));
  const begin = (/** @type {AccessRequest} */ request, /** @type {boolean} */ grant) => {
    clear();
    setScopes(request.scopes);
    decide({ request, grant, key: idempotencyKey() });
  };
  const settle = async () => {
    if (!deciding) return;
    const params = { path: { accessRequest: deciding.request.accessRequestId }, header: { 'Idempotency-Key': deciding.key } };
    const done = await run(() => deciding.grant
      ? body(api.POST('/operator/v1/accessrequests/{accessRequest}/approve', { params, body: { scopes } }))
      : body(api.POST('/operator/v1/accessrequests/{accessRequest}/refuse', { params })));
    if (!done) return;
    decide(undefined);
    again(round + 1);
  };
  /** @type {import('../parts/windowed.js').Column<AccessRequest>[]} */
  const columns = [
    { title: 'Application', cell: (it) => html`<a href=${to('applications', it.applicationId)}>${it.applicationName}</a>` },
    { title: 'Company', cell: (it) => html`<a href=${to('companies', it.companyId)}>${it.legalName}</a>` },
    { title: 'Scopes', cell: (it) => it.scopes.join(', ') },
    { title: 'Requested', cell: (it) => html`<${When} value=${it.createdDate} />` },
    { title: 'Expires', cell: (it) => html`<${When} value=${it.expiresDate} />` },
    ...(mayWrite('administration')
      ? [{
          title: 'Decision',
          cell: (/** @type {AccessRequest} */ it) => html`<button type="button" class="quiet" onClick=${() => begin(it, true)}>Grant</button>
            <button type="button" class="quiet" onClick=${() => begin(it, false)}>Reject</button>`,
        }]
      : []),
  ];
  return html`
    <h1>Access requests</h1>
    <${WindowedTable} label="Access requests" load=${load} inputs=${[round]} columns=${columns}
      empty=${html`<${Empty} title="No access request is pending.">
        <p class="hint">Applications request access to a company with the partner API. A request appears here until an operator grants or rejects it, or it expires.</p><//>`} />
    ${deciding ? html`<${Dialog} title=${deciding.grant ? 'Grant access?' : 'Reject access?'} confirm=${deciding.grant ? 'Grant' : 'Reject'}
      busy=${busy} error=${error} disabled=${deciding.grant && scopes.length === 0} onConfirm=${settle} onClose=${() => decide(undefined)}>
      <p>Application ${deciding.request.applicationName}, company ${deciding.request.legalName} (${deciding.request.displayId})</p>
      ${deciding.grant
        ? html`<${ScopeFields} chosen=${scopes} change=${setScopes} offered=${deciding.request.scopes} />`
        : html`<p>The application gets no access to the company. It can request access again.</p>`}
    <//>` : null}
  `;
}
