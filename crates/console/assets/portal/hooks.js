// The hooks of the application.
import { body } from '../api/http.js';
import { useLoad } from '../api/load.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Table } from '../parts/table.js';
import { Id, Status, When } from '../parts/values.js';
import { api } from './client.js';

/** @typedef {import('./client.js').Schemas['Hook']} Shown */

/** Whether it sends. @param {{hook: Shown}} props */
export function State({ hook }) {
  return html`<${Status} value=${hook.active ? 'active' : 'off'} kind=${hook.active ? 'good' : 'bad'} />`;
}

/** @type {import('../parts/windowed.js').Column<Shown>[]} */
const COLUMNS = [
  { title: 'Hook', cell: (hook) => html`<a href=${to('hooks', hook.hookId)}>${hook.hookId}</a>` },
  { title: 'Address', cell: (hook) => hook.uri },
  { title: 'State', cell: (hook) => html`<${State} hook=${hook} />` },
  { title: 'Domains', cell: (hook) => hook.domains.join(', ') },
  { title: 'Company', cell: (hook) => (hook.companyId ? html`<${Id} value=${hook.companyId} />` : 'all') },
  { title: 'Registered', cell: (hook) => html`<${When} value=${hook.createdDate} />` },
];

export function Hooks() {
  const hooks = useLoad(() => body(api.GET('/management/hooks')), []);
  return html`
    <h1>Hooks and deliveries</h1>
    <${Loaded} of=${hooks} what="the hooks">
      ${(/** @type {Shown[]} */ items) => html`<${Table} label="Hooks" items=${items} columns=${COLUMNS}
        empty=${html`<${Empty} title="Your application has registered no hook.">
          <p>It does that by <code>POST /management/hooks</code>, with the address that notifications are to be sent to.</p>
        <//>`} />`}
    <//>
  `;
}
