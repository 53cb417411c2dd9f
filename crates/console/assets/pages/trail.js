// The audit log and the events. The audit log can update continuously.
import { useEffect, useState } from 'preact/hooks';
import { api, linked } from '../client/client.js';
import { mayReadPersonalData } from '../client/session.js';
import { ROWS, beforeRow } from './history.js';
import { Picker } from '../parts/picker.js';
import { companies } from '../forms/references.js';
import { html } from '../parts/html.js';
import { LinkedList } from '../parts/linked-list.js';
import { setQuery, useLocation } from '../parts/router.js';
import { Id, When } from '../parts/values.js';
import { CompanyLink, PayPeriodLink, WorkerLink } from './names.js';

/** @typedef {import('../client/client.js').Schemas['Event']} Event_ */
/** @typedef {import('../client/client.js').Schemas['EventDomain']} Domain */
/** @typedef {import('../client/client.js').Schemas['AuditRow']['resource']['kind']} Kind */

/** Interval between two reads of a live list, in milliseconds. */
const EVERY = 3000;

const VIEWS = [
  ['', 'Audit log'],
  ['events', 'Events'],
];

/** @type {import('../parts/windowed.js').Column<Event_>[]} */
const EVENTS = [
  { title: 'When', cell: (it) => html`<${When} value=${it.asOfDate} />` },
  { title: 'What', cell: (it) => `${it.domain} ${it.action}` },
  { title: 'Company', cell: (it) => html`<${CompanyLink} id=${it.companyId} />` },
  { title: 'Worker', cell: (it) => html`<${WorkerLink} companyId=${it.companyId} id=${it.workerId} />` },
  { title: 'Pay period', cell: (it) => html`<${PayPeriodLink} companyId=${it.companyId} id=${it.payperiodId} />` },
  { title: 'Event', cell: (it) => html`<${Id} value=${it.eventId} />` },
];

export function Trail() {
  const { query } = useLocation();
  const [round, again] = useState(0);
  const [live, setLive] = useState(false);
  // The audit log contains documents with personal data.
  const view = mayReadPersonalData() ? query.get('view') ?? '' : 'events';
  const company = query.get('company') ?? '';
  const kind = query.get('kind') ?? '';
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => again((count) => count + 1), EVERY);
    return () => clearInterval(timer);
  }, [live]);
  const change = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    setQuery({ view, company, kind, [name]: event.target.value.trim() });
  const trail = (/** @type {URLSearchParams | undefined} */ next) =>
    linked(api.GET('/operator/v1/audit', {
      params: { query: {
        limit: 50,
        companyid: company || undefined,
        // The server validates the typed text.
        kind: /** @type {Kind | undefined} */ (kind || undefined),
        before: beforeRow(next),
      } },
    }));
  const events = (/** @type {URLSearchParams | undefined} */ next) =>
    linked(api.GET('/operator/v1/events', {
      params: { query: {
        limit: 100,
        companyid: company || undefined,
        domain: /** @type {Domain | undefined} */ (kind || undefined),
        after: next?.get('after') ?? undefined,
      } },
    })).then(({ items, next: after }) => ({ items, next: items.length > 0 ? after : undefined }));
  return html`
    <h1>Audit and events</h1>
    <nav class="views" aria-label="Views">
      ${VIEWS.filter(([name]) => name !== '' || mayReadPersonalData()).map(([name, title]) => html`<button type="button" aria-pressed=${view === name}
        onClick=${() => setQuery({ view: name ?? '' })}>${title}</button>`)}
    </nav>
    <p class="filters">
      <div class="field"><label for="trail-company">Company</label>
        <${Picker} id="trail-company" value=${company || undefined} source=${companies}
          onChange=${(/** @type {string | undefined} */ id) => setQuery({ view, company: id ?? '', kind })} /></div>
      <label>${view === 'events' ? 'Domain' : 'Kind'}
        <input value=${kind} onChange=${change('kind')} placeholder=${view === 'events' ? 'WRKR_DEM' : 'payPeriod'} size="16" /></label>
      <label><span>Live</span> <input type="checkbox" checked=${live} onChange=${(/** @type {any} */ event) => setLive(event.target.checked)} /></label>
    </p>
    ${view === 'events'
      ? html`<${LinkedList} key="events" label="Events" load=${events} inputs=${[company, kind, round]} columns=${EVENTS} more="Newer ones" empty="No event matches." />`
      : html`<${LinkedList} key="trail" label="Audit log" load=${trail} inputs=${[company, kind, round]} columns=${ROWS} empty="No change matches." />`}
  `;
}
