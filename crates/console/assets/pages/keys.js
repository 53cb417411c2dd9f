// The operator keys and the browser sessions that use them.
import { useRef, useState } from 'preact/hooks';
import { api, one, page } from '../client/client.js';
import { useSession } from '../client/session.js';
import { KINDS } from '../forms/kinds.js';
import { ObjectList } from '../forms/object-list.js';
import { html } from '../parts/html.js';
import { OnceShown } from '../parts/named.js';
import { Status, When } from '../parts/values.js';
import { CompanyLink } from './names.js';
import { WindowedTable } from '../parts/windowed.js';

/** @typedef {import('../client/client.js').Schemas['OperatorKey']} Key */
/** @typedef {import('../client/client.js').Schemas['OperatorSession']} Session */

/** @type {import('../parts/windowed.js').Column<Session>[]} */
const SESSIONS = [
  { title: 'Key', cell: (it) => it.name },
  { title: 'Operator', cell: (it) => it.operatorName },
  { title: 'Signed in', cell: (it) => html`<${When} value=${it.createdDate} />` },
  { title: 'Expires', cell: (it) => html`<${When} value=${it.expiresDate} />` },
];

export function Keys() {
  const session = useSession();
  const [value, show] = useState('');
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  // A session cannot create a key. An unattended browser therefore gives no permanent access.
  const add = async (/** @type {import('../client/client.js').Schemas['OperatorKeyInput']} */ document, /** @type {string} */ key) => {
    const headers = { Authorization: `Bearer ${field.current?.value.trim() ?? ''}` };
    return (await one(api.POST('/operator/v1/keys', { params: { header: { 'Idempotency-Key': key } }, headers, body: document }))).item;
  };
  const extra = html`<div class="field"><label for="own-key">Your operator key</label>
    <input id="own-key" ref=${field} type="password" autocomplete="current-password" spellcheck=${false} aria-required="true" aria-describedby="own-key-help" />
    <span class="hint" id="own-key-help">To create a key, enter your operator key again. A browser session alone cannot create keys.</span></div>`;
  /** @type {import('../parts/windowed.js').Column<Key>[]} */
  const columns = [
    { title: 'Name', cell: (it) => (it.keyId === session?.keyId ? html`${it.name} <span class="hint">(you)</span>` : it.name) },
    { title: 'Operator', cell: (it) => it.operatorName },
    { title: 'Role', cell: (it) => html`<${Status} value=${it.role} kind=${it.role === 'administrator' ? 'good' : ''} />` },
    { title: 'Companies', cell: (it) => it.companyIds?.map((id) => html`<${CompanyLink} id=${id} /> `) ?? 'all' },
    { title: 'Created', cell: (it) => html`<${When} value=${it.createdDate} />` },
    { title: 'Expires', cell: (it) => (it.expiresDate ? html`<${When} value=${it.expiresDate} />` : 'never') },
    { title: 'Last used', cell: (it) => (it.lastUsedDate ? html`<${When} value=${it.lastUsedDate} />` : 'never') },
  ];
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/sessions', { params: { query: { offset, limit } } }));
  return html`
    <h1>Operators</h1>
    ${value ? html`<${OnceShown} what="operator key" value=${value} done=${() => show('')} />` : null}
    <${ObjectList} kind=${KINDS.operatorKey} path=${{}} title="Operator keys" columns=${columns} isEditable=${false} verb="Revoke" form=${{ add, extra }}
      created=${(/** @type {Key} */ key) => show(key.value ?? '')}
      hint="Give each operator a key of their own. The audit log shows who made a change, and operators cannot approve their own requests, not even with a second key." />
    <h2>Browser sessions</h2>
    <${WindowedTable} label="Browser sessions" load=${load} inputs=${[]} columns=${SESSIONS} empty="No browser is signed in." />
  `;
}
