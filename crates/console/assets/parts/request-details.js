// The details of a rejected or failed request: its errors, its query and the beginning of its body.
import { html } from './html.js';
import { Facts, Table } from './table.js';
import { Id } from './values.js';

/** The statuses of requests whose details are not stored. */
const WITHOUT_DETAILS = [401, 429];

/** Whether a request of the log can have details. @param {{status: number}} request */
export function hasDetails({ status }) {
  return status >= 400 && !WITHOUT_DETAILS.includes(status);
}

/**
 * @typedef {{
 *   code: string, description: string, resolution?: string | null, location?: string | null, pointer?: string | null,
 * }} Fault
 */

/** @type {import('./windowed.js').Column<Fault>[]} */
const ERRORS = [
  { title: 'Code', cell: (it) => html`<strong>${it.code}</strong>` },
  { title: 'Where', cell: (it) => (it.pointer ? html`<code>${it.pointer}</code>` : 'the request') },
  { title: 'Description', cell: (it) => it.description },
  { title: 'Resolution', cell: (it) => it.resolution ?? '–' },
];

/**
 * @param {{details: {
 *   requestId: string, query?: string, errors: Fault[], errorsOmitted?: number, body?: string, bodyBytes?: number,
 * }}} props
 */
export function RequestDetails({ details }) {
  const { requestId, query, errors, errorsOmitted, body, bodyBytes } = details;
  return html`
    <${Facts} pairs=${[
      ['Request ID', html`<${Id} value=${requestId} />`],
      ['Query', query ? html`<code>${query}</code>` : '–'],
    ]} />
    <h2>Errors</h2>
    <${Table} label="Errors" items=${errors} columns=${ERRORS} empty="The response had no error code." />
    ${errorsOmitted ? html`<p class="hint">${errorsOmitted} more errors are not stored.</p>` : null}
    ${body === undefined ? null : html`
      <h2>Body</h2>
      <p class="hint">The body had ${bodyBytes} bytes. Only the first 8 KiB are stored. Tax identities, account numbers, birth dates and secrets are masked.</p>
      <pre tabindex="0" aria-label="The body of the request">${body}</pre>`}
  `;
}
