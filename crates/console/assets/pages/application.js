// An application: what it may do, its secrets, and what it has requested.
import { useState } from 'preact/hooks';
import { api, body, idempotencyKey, linked, one, page } from '../client/client.js';
import { useAction, useLoad } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { Dialog } from '../parts/dialog.js';
import { Editor } from './editor.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { LinkedList } from '../parts/linked-list.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Facts, Table } from '../parts/table.js';
import { Id, Status, When } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['Application']} Shown */
/** @typedef {import('../client/client.js').Schemas['Grant']} Grant */
/** @typedef {NonNullable<Shown['secrets']>[number]} Secret */
/** @typedef {import('../client/client.js').Schemas['AnsweredRequest']} Answered */

/** @param {{applicationId: string}} props */
export function Application({ applicationId }) {
  const path = { applicationId };
  const read = () => one(api.GET('/operator/v1/applications/{applicationId}', { params: { path } }));
  const application = useLoad(read, [applicationId]);
  const grants = useLoad(
    () => page(api.GET('/operator/v1/applications/{applicationId}/grants', { params: { path, query: { limit: 500 } } })),
    [applicationId],
  );
  return html`
    <p class="above"><a href="#/applications">Applications</a></p>
    <${Loaded} of=${application} what="the application">
      ${(/** @type {{item: Shown, tag: string}} */ { item, tag }) => html`
        <h1>${item.name}</h1>
        <${Facts} pairs=${[
          ['Application', html`<${Id} value=${item.applicationId} />`],
          ['API key', html`<${Id} value=${item.clientId} />`],
          ['State', item.enabled === false ? html`<${Status} value="off" kind="bad" />` : html`<${Status} value="on" kind="good" />`],
          ['Requests a minute', item.rateLimitPerMinute ?? 'as the server'],
          ['Webhooks', (item.webhookScopes ?? []).join(', ') || 'none'],
        ]} />
        <${Editor} title="Change the application" object=${item} tag=${tag} saved=${application.reload} load=${read}
          save=${(/** @type {import('../client/client.js').Schemas['ApplicationPatch']} */ patch, /** @type {string} */ version) =>
            one(api.PATCH('/operator/v1/applications/{applicationId}', { params: { path, header: { 'If-Match': version } }, body: patch }))} />
        <${Secrets} application=${item} changed=${application.reload} />
      `}
    <//>
    <h2>What it may do</h2>
    <${Loaded} of=${grants} what="what it may do">
      ${(/** @type {{items: Grant[], total: number}} */ { items, total }) => html`<${Grants} grants=${items} total=${total} />`}
    <//>
    <${Requests} applicationId=${applicationId} />
  `;
}

/** Companies and scopes. @param {{grants: Grant[], total: number}} props */
function Grants({ grants, total }) {
  const scopes = [...new Set(grants.flatMap((grant) => grant.scopes))].sort();
  return html`
    <${Table} label="Scopes by company" items=${grants} empty="It may read no company."
      columns=${[
        { title: 'Company', cell: (/** @type {Grant} */ it) => html`<a href=${to('companies', it.companyId)}>${it.companyId}</a>` },
        ...scopes.map((scope) => ({ title: scope, cell: (/** @type {Grant} */ it) => (it.scopes.includes(scope) ? 'yes' : '–') })),
      ]} />
    ${total > grants.length ? html`<p class="hint">The first ${grants.length} of ${total} companies.</p>` : null}
  `;
}

/** @param {{application: Shown, changed: () => void}} props */
function Secrets({ application, changed }) {
  const [making, make] = useState('');
  const [dropping, drop] = useState('');
  const [value, show] = useState('');
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
  return html`<section>
    <h2>Secrets</h2>
    <${Table} label="Secrets" items=${secrets} empty="It has no secret, and so gets no token."
      columns=${[
        { title: 'Secret', cell: (/** @type {Secret} */ it) => html`<${Id} value=${it.secretId} />` },
        { title: 'Made', cell: (/** @type {Secret} */ it) => html`<${When} value=${it.createdDate} />` },
        ...(mayWrite() ? [{ title: 'Action', cell: (/** @type {Secret} */ it) => html`<button type="button" class="quiet"
          onClick=${() => { clear(); drop(it.secretId); }}>Drop</button>` }] : []),
      ]} />
    ${value ? html`<div class="warned"><p>The new secret, shown this once:</p><p><code class="id">${value}</code></p>
      <button type="button" onClick=${() => show('')}>I have it</button></div>` : null}
    ${mayWrite() ? html`<p><button type="button" onClick=${() => { clear(); make(idempotencyKey()); }}>Make a new secret</button></p>` : null}
    ${making ? html`<${Dialog} title="Make a new secret?" confirm="Make it" busy=${busy} error=${error}
      onConfirm=${create} onClose=${() => make('')}>
      <p>An application has two at most: the older one stays good until another is made or it is dropped.</p><//>` : null}
    ${dropping ? html`<${Dialog} title="Drop the secret?" confirm="Drop" danger busy=${busy} error=${error}
      onConfirm=${remove} onClose=${() => drop('')}>
      <p>A client that uses <code>${dropping}</code> gets no token any more.</p><//>` : null}
  </section>`;
}

/** @type {import('../parts/windowed.js').Column<Answered>[]} */
const REQUESTS = [
  { title: 'When', cell: (it) => html`<${When} value=${it.date} />` },
  { title: 'Request', cell: (it) => html`<code>${it.method} ${it.route}</code>` },
  { title: 'Company', cell: (it) => html`<${Id} value=${it.companyId} />` },
  { title: 'Status', number: true, cell: (it) => it.status },
  { title: 'Codes', cell: (it) => (it.codes ?? []).join(', ') || '–' },
  { title: 'Id', cell: (it) => html`<${Id} value=${it.requestId} />` },
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
    <${LinkedList} label="Requests" load=${load} inputs=${[applicationId, status]} columns=${REQUESTS}
      empty="It has requested nothing that fits." />
  </section>`;
}
