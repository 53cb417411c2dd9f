// The details of a rejected or failed request: its errors, its query and the beginning of its body.
import { ApiError } from '../api/http.js';
import { useLoad } from '../api/load.js';
import { Empty, Loaded } from './feedback.js';
import { html } from './html.js';
import { Facts, Table } from './table.js';
import { Id } from './values.js';

/**
 * @typedef {{code: string, description: string, resolution?: string, pointer?: string}} Fault
 */

/** @type {import('./windowed.js').Column<Fault>[]} */
const ERRORS = [
  { title: 'Code', cell: (it) => html`<strong>${it.code}</strong>` },
  { title: 'Where', cell: (it) => (it.pointer ? html`<code>${it.pointer}</code>` : 'the request') },
  { title: 'Description', cell: (it) => it.description },
  { title: 'Resolution', cell: (it) => it.resolution ?? '–' },
];

/**
 * @typedef {{
 *   requestId: string, query?: string, errors: Fault[], errorsOmitted?: number, body?: string, bodyBytes?: number,
 * }} Stored
 */

/** @param {{details: Stored}} props */
function Details({ details }) {
  const { requestId, query, errors, errorsOmitted, body, bodyBytes } = details;
  return html`
    <${Facts} pairs=${[
      ['Request ID', html`<${Id} value=${requestId} />`],
      ['Query', query ? html`<code>${query}</code>` : '–'],
    ]} />
    <h2>Errors</h2>
    <${Table} label="Errors" items=${errors} columns=${ERRORS} empty="The response had no error code." />
    ${errorsOmitted ? html`<p class="hint">${errorsOmitted} more errors are not stored.</p>` : null}
    ${body === undefined && bodyBytes !== undefined ? html`<p class="hint">The body had ${bodyBytes} bytes. It is not shown.</p>` : null}
    ${body === undefined ? null : html`
      <h2>Body</h2>
      <p class="hint">The body had ${bodyBytes} bytes. Only the first 8 KiB are stored. Tax identities, account numbers, birth dates, files and secrets are masked.</p>
      <pre tabindex="0" aria-label="The body of the request">${body}</pre>`}
  `;
}

/**
 * The page of a rejected or failed request.
 *
 * @param {{requestId: string, above: any, load: () => Promise<{item: Stored}>}} props
 */
export function RejectedRequest({ requestId, above, load }) {
  const details = useLoad(load, [requestId]);
  return html`
    <p class="above">${above}</p>
    <h1>Rejected request</h1>
    ${details.error instanceof ApiError && details.error.status === 404
      ? html`<${Empty} title="The details of this request are not stored.">
          <p>The server deletes errors and bodies after some days, or does not store them. The list of requests is kept longer.</p>
        <//>`
      : html`<${Loaded} of=${details} what="the details">
          ${(/** @type {{item: Stored}} */ { item }) => html`<${Details} details=${item} />`}
        <//>`}
  `;
}
