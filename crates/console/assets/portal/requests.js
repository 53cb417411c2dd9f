// The requests of the application and their faults.
import { linked } from '../api/http.js';
import { Empty } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { LinkedList } from '../parts/linked-list.js';
import { RequestStatus } from '../parts/request-status.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Id, When } from '../parts/values.js';
import { api } from './client.js';
import { Explained, useCodes } from './codes.js';

/** @typedef {import('./client.js').Schemas['AnsweredRequest']} Answered */

export function Requests() {
  const table = useCodes();
  const { query } = useLocation();
  const status = query.get('status') ?? '';
  const load = (/** @type {URLSearchParams | undefined} */ next) =>
    linked(api.GET('/management/requests', {
      params: { query: { limit: 50, status: status || undefined, before: next?.get('before') ?? undefined } },
    }));
  /** @type {import('../parts/windowed.js').Column<Answered>[]} */
  const columns = [
    { title: 'When', cell: (it) => html`<${When} value=${it.date} />` },
    { title: 'Request', cell: (it) => html`<code>${it.method} ${it.route}</code>` },
    { title: 'Company', cell: (it) => html`<${Id} value=${it.companyId} />` },
    { title: 'Status', number: true, cell: (it) => html`<${RequestStatus} status=${it.status} href=${to('requests', it.requestId)} />` },
    { title: 'Errors', cell: (it) => html`<${Explained} codes=${it.codes ?? []} status=${it.status} table=${table} />` },
    { title: 'Your id', cell: (it) => html`<${Id} value=${it.correlationId} />` },
    { title: 'Request id', cell: (it) => html`<${Id} value=${it.requestId} />` },
  ];
  return html`
    <h1>Requests</h1>
    <p class="hint">The requests of your application, the newest first. A request appears after a second or two. Select the status of a rejected request to see its errors and its body.</p>
    <p class="filters"><label>Status
      <select onChange=${(/** @type {any} */ event) => setQuery({ status: event.target.value })}>
        ${['', '2xx', '4xx', '5xx'].map((value) => html`<option value=${value} selected=${value === status}>${value || 'any'}</option>`)}
      </select></label></p>
    <${LinkedList} label="Requests" load=${load} inputs=${[status]} columns=${columns}
      empty=${html`<${Empty} title="No request matches.">
        <p>Try the <a href="#/composer">check composer</a>, or a request from the API guide.</p><//>`} />
  `;
}
