// The frame of all pages, and the page of an address.
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isSandbox } from '../api/server.js';
import { findSession, signOut, useSession } from '../api/session.js';
import { Empty, Loading } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to, useLocation } from '../parts/router.js';
import { copyExactly } from '../parts/values.js';
import { AccessRequests } from './access-requests.js';
import { Application } from './application.js';
import { Applications } from './applications.js';
import { Company } from './company.js';
import { Delivery } from './delivery.js';
import { Find } from './find.js';
import { Health } from './health.js';
import { Hook } from './hook.js';
import { PayPeriod } from './pay-period.js';
import { PayRuns } from './pay-runs.js';
import { Sandbox } from './sandbox.js';
import { SignIn } from './sign-in.js';
import { Trail } from './trail.js';
import { Transfer } from './transfer.js';
import { Webhooks } from './webhooks.js';
import { Worker } from './worker.js';

/** What leads to the pages, in the order in which they are used. */
const NAVIGATION = [
  ['', 'Pay runs'],
  ['webhooks', 'Webhooks'],
  ['find', 'Find'],
  ['applications', 'Applications'],
  ['access-requests', 'Access requests'],
  ['trail', 'Audit and events'],
  ['transfer', 'Import and export'],
  ['health', 'Health'],
  ...(isSandbox ? [['sandbox', 'Sandbox']] : []),
];

/**
 * The page of an address: a pattern, in which `:` stands for an id, and what shows it.
 *
 * @type {[string, (...ids: string[]) => any][]}
 */
const PAGES = [
  ['', () => html`<${PayRuns} />`],
  ['companies/:', (companyId) => html`<${Company} key=${companyId} companyId=${companyId} />`],
  ['companies/:/payperiods/:', (companyId, payPeriodId) =>
    html`<${PayPeriod} key=${`${companyId}/${payPeriodId}`} companyId=${companyId} payPeriodId=${payPeriodId} />`],
  ['companies/:/workers/:', (companyId, workerId) =>
    html`<${Worker} key=${workerId} companyId=${companyId} workerId=${workerId} />`],
  ['webhooks', () => html`<${Webhooks} />`],
  ['webhooks/:/:', (applicationId, hookId) =>
    html`<${Hook} key=${hookId} applicationId=${applicationId} hookId=${hookId} />`],
  ['webhooks/:/:/:', (applicationId, hookId, deliveryId) =>
    html`<${Delivery} key=${deliveryId} applicationId=${applicationId} hookId=${hookId} deliveryId=${deliveryId} />`],
  ['find', () => html`<${Find} />`],
  ['applications', () => html`<${Applications} />`],
  ['applications/:', (applicationId) => html`<${Application} key=${applicationId} applicationId=${applicationId} />`],
  ['access-requests', () => html`<${AccessRequests} />`],
  ['trail', () => html`<${Trail} />`],
  ['transfer', () => html`<${Transfer} />`],
  ['health', () => html`<${Health} />`],
  ['sandbox', () => (isSandbox ? html`<${Sandbox} />` : html`<${NotFound} />`)],
];

/** @param {string[]} segments */
function pageOf(segments) {
  for (const [pattern, show] of PAGES) {
    const parts = pattern.split('/').filter((part) => part !== '');
    const fits = parts.every((part, index) => part === ':' || part === segments[index]);
    if (fits && parts.length === segments.length) return show(...segments.filter((_, index) => parts[index] === ':'));
  }
  return html`<${NotFound} />`;
}

function NotFound() {
  return html`<h1>Not found</h1>
    <${Empty} title="There is no such page."><p><a href="#/">Go to the pay runs</a></p><//>`;
}

function Console() {
  const session = useSession();
  const { segments } = useLocation();
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const address = segments.join('/');
  useEffect(() => {
    main.current?.focus();
  }, [address]);
  if (session === undefined) return html`<${Loading} what="the console" />`;
  if (session === null) return html`<main class="alone"><${SignIn} /></main>`;
  const [area = ''] = segments;
  const current = area === 'companies' ? '' : area;
  return html`
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <header>
      <p class="brand"><a href="#/">Payroll console</a></p>
      <nav aria-label="Pages">
        <ul>
          ${NAVIGATION.map(([name = '', title]) => html`<li>
            <a href=${to(...(name === '' ? [] : [name]))} aria-current=${name === current ? 'page' : null}>${title}</a>
          </li>`)}
        </ul>
      </nav>
      <p class="account">
        <span>${session.name}${session.readOnly ? ' (for reading)' : ''}</span>
        <button type="button" class="quiet" onClick=${signOut}>Sign out</button>
      </p>
    </header>
    <main id="main" tabindex="-1" ref=${main}>${pageOf(segments)}</main>
  `;
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

const root = document.getElementById('console');
if (root) {
  copyExactly();
  render(html`<${Console} />`, root);
  void findSession();
}
