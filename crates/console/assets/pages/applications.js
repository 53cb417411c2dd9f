// The partner applications.
import { api, page } from '../client/client.js';
import { Empty } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Count, Id, Status } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';

/** @typedef {import('../client/client.js').Schemas['Application']} Application */

/** @type {import('../parts/windowed.js').Column<Application>[]} */
const COLUMNS = [
  { title: 'Application', cell: (it) => html`<a href=${to('applications', it.applicationId)}>${it.name}</a>` },
  { title: 'Id', cell: (it) => html`<${Id} value=${it.applicationId} />` },
  { title: 'State', cell: (it) => (it.enabled === false ? html`<${Status} value="off" kind="bad" />` : html`<${Status} value="on" kind="good" />`) },
  { title: 'Requests a minute', number: true, cell: (it) => (it.rateLimitPerMinute === undefined ? 'as the server' : html`<${Count} value=${it.rateLimitPerMinute} />`) },
  { title: 'Secrets', number: true, cell: (it) => html`<${Count} value=${it.secrets?.length ?? 0} />` },
];

export function Applications() {
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/applications', { params: { query: { offset, limit } } }));
  return html`
    <h1>Applications</h1>
    <${WindowedTable} label="Applications" load=${load} inputs=${[]} columns=${COLUMNS}
      empty=${html`<${Empty} title="There is no application yet.">
        <p>One is made by <code>payroll-server app create NAME</code>.</p><//>`} />
  `;
}
