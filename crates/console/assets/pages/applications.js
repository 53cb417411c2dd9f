// The partner applications. The form for a new application also creates its first secret, which is shown
// once.
import { useState } from 'preact/hooks';
import { api, idempotencyKey, one, page } from '../client/client.js';
import { useAction } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { KINDS } from '../forms/kinds.js';
import { NewButton } from '../forms/object-list.js';
import { Empty, Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Copied, OnceShown } from '../parts/named.js';
import { to } from '../parts/router.js';
import { Count, Id, Status } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';

/** @typedef {import('../client/client.js').Schemas['Application']} Application */

/** @type {import('../parts/windowed.js').Column<Application>[]} */
const COLUMNS = [
  { title: 'Application', cell: (it) => html`<a href=${to('applications', it.applicationId)}>${it.name}</a>` },
  { title: 'State', cell: (it) => (it.enabled === false ? html`<${Status} value="disabled" kind="bad" />` : html`<${Status} value="enabled" kind="good" />`) },
  { title: 'Requests per minute', number: true, cell: (it) => (it.rateLimitPerMinute === undefined ? 'server default' : html`<${Count} value=${it.rateLimitPerMinute} />`) },
  { title: 'Secrets', number: true, cell: (it) => html`<${Count} value=${it.secrets?.length ?? 0} />` },
  { title: 'ID', cell: (it) => html`<${Id} value=${it.applicationId} />` },
];

export function Applications() {
  const [round, again] = useState(0);
  const [fresh, setFresh] = useState(/** @type {{application: Application, secret: string} | undefined} */ (undefined));
  const { error, run } = useAction();
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/applications', { params: { query: { offset, limit } } }));
  const created = (/** @type {Application} */ application) => void run(async () => {
    again((count) => count + 1);
    const params = { path: { applicationId: application.applicationId }, header: { 'Idempotency-Key': idempotencyKey() } };
    const { item } = await one(api.POST('/operator/v1/applications/{applicationId}/secrets', { params }));
    setFresh({ application, secret: item.value ?? '' });
    again((count) => count + 1);
  });
  return html`
    <div class="title"><h1>Applications</h1><${NewButton} kind=${KINDS.application} path=${{}} created=${created} /></div>
    <${Failed} error=${error} />
    ${fresh ? html`<${OnceShown} what="secret" value=${fresh.secret} done=${() => setFresh(undefined)}>
      <p>API key of <a href=${to('applications', fresh.application.applicationId)}>${fresh.application.name}</a>:
        ${' '}<${Copied} value=${fresh.application.clientId} what="API key" /></p>
      <p>Next step: open the application and give it access to companies.</p><//>` : null}
    <${WindowedTable} label="Applications" load=${load} inputs=${[round]} columns=${COLUMNS}
      empty=${html`<${Empty} title="There is no application yet.">${mayWrite('administration')
        ? html`<p class="hint">A partner needs an application to get a token. Create one with the button above.</p>` : null}<//>`} />
  `;
}
