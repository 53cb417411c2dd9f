// The portal and the table of its pages.
import { render } from 'preact';
import { hasExpired } from '../api/expiry.js';
import { Frame } from '../parts/frame.js';
import { html } from '../parts/html.js';
import { SignInAgain } from '../parts/sign-in-again.js';
import { copyExactly } from '../parts/values.js';
import { signOut, useCaller } from './client.js';
import { Composer } from './composer.js';
import { Delivery } from './delivery.js';
import { Events } from './events.js';
import { Hook } from './hook.js';
import { Hooks } from './hooks.js';
import { Request } from './request.js';
import { Requests } from './requests.js';
import { SignIn } from './sign-in.js';

/** The navigation with links to the pages. @type {import('../parts/frame.js').Group[]} */
const NAVIGATION = [{
  title: '',
  pages: [
    ['', 'Requests', 'trail'],
    ['hooks', 'Hooks and deliveries', 'webhooks'],
    ['events', 'Event catalogue', 'health'],
    ['composer', 'Check composer', 'runs'],
  ],
}];

/** @type {import('../parts/frame.js').Page[]} */
const PAGES = [
  ['', () => html`<${Requests} />`],
  ['requests/:', (requestId) => html`<${Request} key=${requestId} requestId=${requestId} />`],
  ['hooks', () => html`<${Hooks} />`],
  ['hooks/:', (hookId) => html`<${Hook} key=${hookId} hookId=${hookId} />`],
  ['hooks/:/:', (hookId, deliveryId) => html`<${Delivery} key=${deliveryId} hookId=${hookId} deliveryId=${deliveryId} />`],
  ['events', () => html`<${Events} />`],
  ['composer', () => html`<${Composer} />`],
];

function Portal() {
  const caller = useCaller();
  if (caller === null) return html`<main class="alone"><${SignIn} /></main>`;
  return html`<${Frame} key=${caller.clientId} brand="Payroll portal" account=${caller.clientId} signOut=${signOut} navigation=${NAVIGATION}
    pages=${PAGES} />
    ${hasExpired() ? html`<${SignInAgain} leave=${signOut}><${SignIn} /><//>` : null}`;
}

const root = document.getElementById('portal');
if (root) {
  copyExactly();
  render(html`<${Portal} />`, root);
}
