// An application with its secrets, its access to companies and its requests.
import { useState } from 'preact/hooks';
import { api, body, idempotencyKey, linked, one, page } from '../client/client.js';
import { useAction, useLoad } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { Dialog } from '../parts/dialog.js';
import { KINDS } from '../forms/kinds.js';
import { DeleteButton, EditButton } from '../forms/object-list.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { LinkedList } from '../parts/linked-list.js';
import { Copied, OnceShown } from '../parts/named.js';
import { RequestStatus } from '../parts/request-status.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Facts, Table } from '../parts/table.js';
import { Id, Status, When } from '../parts/values.js';
import { AccessForm, RevokeAccess } from './access.js';
import { CompanyLink } from './names.js';
import { PublicKeyDialog } from './public-key.js';

/** @typedef {import('../client/client.js').Schemas['Application']} Shown */
/** @typedef {import('../client/client.js').Schemas['Grant']} Grant */
/** @typedef {NonNullable<Shown['secrets']>[number]} Secret */
/** @typedef {import('../client/client.js').Schemas['AnsweredRequest']} Answered */

/** Maximum number of companies that the page shows. */
const SHOWN = 500;

/** @param {{applicationId: string}} props */
export function Application({ applicationId }) {
  const path = { applicationId };
  const application = useLoad(() => one(api.GET('/operator/v1/applications/{applicationId}', { params: { path } })), [applicationId]);
  const deleted = () => { window.location.hash = '#/applications'; };
  return html`
    <p class="above"><a href="#/applications">Applications</a></p>
    <${Loaded} of=${application} what="the application">
      ${(/** @type {{item: Shown}} */ { item }) => html`
        <div class="title"><h1>${item.name}</h1><div>
          <${EditButton} kind=${KINDS.application} path=${{}} id=${applicationId} title="Edit the application" saved=${application.reload} />
          <${DeleteButton} kind=${KINDS.application} path=${{}} id=${applicationId} name=${item.name} deleted=${deleted} /></div></div>
        <p class="hint">Application <${Copied} value=${item.applicationId} /></p>
        <${Facts} pairs=${[
          ['API key', html`<${Copied} value=${item.clientId} what="API key" />`],
          ['State', item.enabled === false ? html`<${Status} value="disabled" kind="bad" />` : html`<${Status} value="enabled" kind="good" />`],
          ['Requests per minute', item.rateLimitPerMinute ?? 'server default'],
          ['Webhook scopes', (item.webhookScopes ?? []).join(', ') || 'none'],
        ]} />
        <${Secrets} application=${item} changed=${application.reload} />
      `}
    <//>
    <${Grants} applicationId=${applicationId} />
    <${Requests} applicationId=${applicationId} />
  `;
}

/** Shows companies and scopes. @param {{applicationId: string}} props */
function Grants({ applicationId }) {
  const grants = useLoad(
    () => page(api.GET('/operator/v1/applications/{applicationId}/grants', { params: { path: { applicationId }, query: { limit: SHOWN } } })),
    [applicationId],
  );
  const [editing, edit] = useState(/** @type {Grant | 'new' | undefined} */ (undefined));
  const [revoking, revoke] = useState(/** @type {Grant | undefined} */ (undefined));
  const done = () => {
    edit(undefined);
    revoke(undefined);
    grants.reload();
  };
  /** @type {import('../parts/windowed.js').Column<Grant>[]} */
  const columns = [
    { title: 'Company', cell: (it) => html`<${CompanyLink} id=${it.companyId} />` },
    { title: 'Scopes', cell: (it) => it.scopes.join(', ') },
    ...(mayWrite('administration') ? [{
      title: 'Actions',
      cell: (/** @type {Grant} */ it) => html`<span class="row-actions"><button type="button" class="quiet" onClick=${() => edit(it)}>Edit</button>
        <button type="button" class="quiet" onClick=${() => revoke(it)}>Revoke</button></span>`,
    }] : []),
  ];
  const path = (/** @type {Grant} */ { companyId }) => ({ applicationId, companyId });
  return html`<section>
    <div class="title"><h2>Access to companies</h2>
      ${mayWrite('administration') ? html`<button type="button" class="primary" onClick=${() => edit('new')}>Give access</button>` : null}</div>
    <${Loaded} of=${grants} what="the access">
      ${(/** @type {{items: Grant[], total: number}} */ { items, total }) => html`
        <${Table} label="Access to companies" items=${items} columns=${columns}
          empty=${html`<${Empty} title="The application has access to no company."><p class="hint">Give access with the button above.</p><//>`} />
        ${total > items.length ? html`<p class="hint">The first ${items.length} of ${total} companies.</p>` : null}`}
    <//>
    ${editing ? html`<${AccessForm} path=${editing === 'new' ? { applicationId } : path(editing)} grant=${editing === 'new' ? undefined : editing}
      done=${done} close=${() => edit(undefined)} />` : null}
    ${revoking ? html`<${RevokeAccess} path=${path(revoking)} done=${done} close=${() => revoke(undefined)} />` : null}
  </section>`;
}

/** @param {{application: Shown, changed: () => void}} props */
function Secrets({ application, changed }) {
  const [making, make] = useState('');
  const [dropping, drop] = useState('');
  const [value, show] = useState('');
  const [registering, register] = useState(false);
  const { busy, error, run, clear } = useAction();
  const { applicationId, secrets = [] } = application;
  const create = async () => {
    const done = await run(async () => {
      const { item } = await one(api.POST('/operator/v1/applications/{applicationId}/secrets', {
        params: { path: { applicationId }, header: { 'Idempotency-Key': making } },
      }));
      show(item.value ?? '');
    });
    if (!done) return;
    make('');
    changed();
  };
  const remove = async () => {
    const path = { applicationId, secretId: dropping };
    const done = await run(() => body(api.DELETE('/operator/v1/applications/{applicationId}/secrets/{secretId}', { params: { path } })));
    if (!done) return;
    drop('');
    changed();
  };
  // An application has at most two secrets. A new secret replaces the older one.
  const oldest = secrets.length > 1 ? [...secrets].sort((one, other) => one.createdDate.localeCompare(other.createdDate))[0] : undefined;
  return html`<section>
    <div class="title"><h2>Secrets</h2>
      ${mayWrite('administration') ? html`<button type="button" onClick=${() => { clear(); make(idempotencyKey()); }}>Create a secret</button>
        <button type="button" onClick=${() => register(true)}>Register a public key</button>` : null}</div>
    ${value ? html`<${OnceShown} what="secret" value=${value} done=${() => show('')} />` : null}
    <${Table} label="Secrets" items=${secrets} empty="The application has no secret, so it cannot get a token."
      columns=${[
        { title: 'Secret', cell: (/** @type {Secret} */ it) => html`<${Id} value=${it.secretId} />` },
        { title: 'Kind', cell: (/** @type {Secret} */ it) => it.kid ? html`Public key (${it.algorithm}) <code class="id">${it.kid}</code>` : 'Secret' },
        { title: 'Created', cell: (/** @type {Secret} */ it) => html`<${When} value=${it.createdDate} />` },
        ...(mayWrite('administration') ? [{ title: 'Actions', cell: (/** @type {Secret} */ it) => html`<button type="button" class="quiet"
          onClick=${() => { clear(); drop(it.secretId); }}>Revoke</button>` }] : []),
      ]} />
    ${making ? html`<${Dialog} title="Create a secret?" confirm="Create" danger=${oldest !== undefined} busy=${busy} error=${error}
      onConfirm=${create} onClose=${() => make('')}>
      ${oldest
        ? html`<p>An application has at most two secrets. The older one, <code>${oldest.secretId}</code> of <${When} value=${oldest.createdDate} />, stops
            working immediately.</p>`
        : html`<p>The secrets of the application keep working. An application has at most two.</p>`}<//>` : null}
    ${registering ? html`<${PublicKeyDialog} applicationId=${applicationId} replaces=${oldest?.secretId} close=${() => register(false)}
      done=${() => { register(false); changed(); }} />` : null}
    ${dropping ? html`<${Dialog} title="Revoke the secret?" confirm="Revoke" danger busy=${busy} error=${error}
      onConfirm=${remove} onClose=${() => drop('')}>
      <p>Programs that use <code>${dropping}</code> can no longer get a token, and their tokens stop working immediately.</p><//>` : null}
  </section>`;
}

/** The columns of the log. @returns {import('../parts/windowed.js').Column<Answered>[]} */
const requestColumns = (/** @type {string} */ applicationId) => [
  { title: 'When', cell: (it) => html`<${When} value=${it.date} />` },
  { title: 'Request', cell: (it) => html`<code>${it.method} ${it.route}</code>` },
  { title: 'Company', cell: (it) => html`<${CompanyLink} id=${it.companyId} />` },
  {
    title: 'Status',
    number: true,
    cell: (it) => html`<${RequestStatus} status=${it.status} href=${to('applications', applicationId, 'requests', it.requestId)} />`,
  },
  { title: 'Codes', cell: (it) => (it.codes ?? []).join(', ') || '–' },
  { title: 'Request ID', cell: (it) => html`<${Id} value=${it.requestId} />` },
];

/** @param {{applicationId: string}} props */
function Requests({ applicationId }) {
  const { query } = useLocation();
  const status = query.get('status') ?? '';
  const load = (/** @type {URLSearchParams | undefined} */ next) =>
    linked(api.GET('/operator/v1/applications/{applicationId}/requests', {
      params: {
        path: { applicationId },
        query: { limit: 50, status: status || undefined, before: next?.get('before') ?? undefined },
      },
    }));
  return html`<section>
    <h2>Requests</h2>
    <p class="filters"><label>Status
      <select onChange=${(/** @type {any} */ event) => setQuery({ status: event.target.value })}>
        ${['', '2xx', '4xx', '5xx'].map((value) => html`<option value=${value} selected=${value === status}>${value || 'any'}</option>`)}
      </select></label></p>
    <${LinkedList} label="Requests" load=${load} inputs=${[applicationId, status]} columns=${requestColumns(applicationId)}
      empty="No request matches." />
  </section>`;
}
