// The views of deliveries in both APIs: their attempts, and the later requests that contain their ids.
import { useState } from 'preact/hooks';
import { idempotencyKey } from '../api/http.js';
import { useAction } from '../api/load.js';
import { Failed } from './feedback.js';
import { html } from './html.js';
import { to } from './router.js';
import { Table } from './table.js';
import { Count, Id, Status, When, plain } from './values.js';

/** @typedef {import('../../types/partner').components['schemas']['Delivery']} Delivery */
/** @typedef {import('../../types/partner').components['schemas']['DeliveryAttempt']} Attempt */
/** @typedef {import('../../types/partner').components['schemas']['NotedRequest']} Noted */
/** @typedef {import('../../types/partner').components['schemas']['DeliveryState']} State */

/** @type {State[]} */
export const STATES = ['WAITING', 'RETRYING', 'DELIVERED', 'CANCELLED', 'EXPIRED'];

/**
 * Returns the columns of a list of deliveries. Each delivery has a link to its page below the given address.
 *
 * @param {...string} hook
 * @returns {import('./windowed.js').Column<Delivery>[]}
 */
export function deliveryColumns(...hook) {
  return [
    { title: 'Queued', cell: (it) => html`<a href=${to(...hook, it.deliveryId)}><${When} value=${it.queuedDate} /></a>` },
    { title: 'State', cell: (it) => html`<${Status} value=${it.state} />` },
    { title: 'What', cell: what },
    { title: 'Company', cell: (it) => html`<${Id} value=${it.companyId} />` },
    { title: 'Attempts', number: true, cell: (it) => html`<${Count} value=${it.attemptCount} />` },
    { title: 'Last result', cell: result },
  ];
}

/** Returns the event that the delivery reports. @param {Delivery} delivery */
export function what({ domain, action, test }) {
  return `${domain} ${action}${test ? ' (test)' : ''}`;
}

/** Returns the result of the last attempt. @param {Delivery} delivery */
function result(delivery) {
  const last = delivery.attempts.at(-1);
  if (!last) return '–';
  return last.status === undefined ? last.error ?? '–' : `status ${last.status}`;
}

/** @type {import('./windowed.js').Column<Attempt>[]} */
const ATTEMPTS = [
  { title: 'Number', number: true, cell: (attempt) => html`<${Count} value=${attempt.number} />` },
  { title: 'When', cell: (attempt) => html`<${When} value=${attempt.date} />` },
  { title: 'Why', cell: (attempt) => plain(attempt.cause) },
  { title: 'Result', cell: (attempt) => (attempt.status === undefined ? plain(attempt.error ?? 'none') : `status ${attempt.status}`) },
  { title: 'Milliseconds', number: true, cell: (attempt) => html`<${Count} value=${attempt.durationMilliseconds} />` },
  {
    title: 'Response',
    cell: (attempt) => (attempt.answer ? html`<pre>${attempt.answer}${attempt.answerCut ? ' …' : ''}</pre>` : '–'),
  },
];

/** @type {import('./windowed.js').Column<Noted>[]} */
const REQUESTS = [
  { title: 'When', cell: (request) => html`<${When} value=${request.date} />` },
  { title: 'Request', cell: (request) => html`<code>${request.method} ${request.route}</code>` },
  { title: 'Status', number: true, cell: (request) => request.status },
  { title: 'Id', cell: (request) => html`<${Id} value=${request.requestId} />` },
];

/** Shows the tables of a delivery's page. @param {{delivery: Delivery}} props */
export function DeliveryTables({ delivery }) {
  return html`
    <h2>Notification</h2>
    ${delivery.body === undefined
      ? null
      : html`<p class="hint">Each attempt is a POST of this body to the hook's address, with its own timestamp and signature.</p>
        <pre tabindex="0" aria-label="The body of the notification">${delivery.body}</pre>`}
    <h2>Attempts</h2>
    <${Table} label="Attempts" items=${delivery.attempts} columns=${ATTEMPTS} empty="There was no attempt yet." />
    <h2>Requests that refer to this notification</h2>
    <${Table} label="Requests" items=${delivery.requests} columns=${REQUESTS}
      empty="No request refers to this notification." />
  `;
}

/**
 * Filters for a list of deliveries.
 *
 * @param {{state: string | undefined, domain: string, from: string, change: (name: string) => (event: any) => void}} props
 */
export function DeliveryFilters({ state, domain, from, change }) {
  return html`<p class="filters">
    <label>State
      <select onChange=${change('state')}>
        <option value="" selected=${!state}>any</option>
        ${STATES.map((known) => html`<option value=${known} selected=${known === state}>${known.toLowerCase()}</option>`)}
      </select>
    </label>
    <label>Domain <input value=${domain} onChange=${change('domain')} placeholder="WRKR_DEM" size="12" /></label>
    <label>From <input type="date" value=${from} onChange=${change('from')} /></label>
  </p>`;
}

/**
 * Resends the delivery.
 *
 * @param {{send: ((key: string) => Promise<unknown>) | undefined, reload: () => void}} props without `send`, there is no button
 */
export function SendAgain({ send, reload }) {
  const { busy, error, run } = useAction();
  const [said, say] = useState('');
  const again = async () => {
    if (!send || !(await run(() => send(idempotencyKey())))) return;
    say('The delivery is queued again.');
    reload();
  };
  return html`
    <div class="actions">
      ${send ? html`<button type="button" class="primary" disabled=${busy} onClick=${again}>Resend</button>` : null}
      <button type="button" class="quiet" onClick=${reload}>Refresh</button>
    </div>
    <p role="status" class="hint">${said}</p>
    <${Failed} error=${error} />
  `;
}
