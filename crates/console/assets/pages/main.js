// The console and the table of its pages.
import { render } from 'preact';
import { hasExpired } from '../api/expiry.js';
import { useApprovalCount } from '../client/approvals.js';
import { isSandbox } from '../client/server.js';
import { findSession, isRestricted, leave, mayWrite, signOut, useSession } from '../client/session.js';
import { Loading } from '../parts/feedback.js';
import { Frame, NotFound } from '../parts/frame.js';
import { html, isolated } from '../parts/html.js';
import { onDemand } from '../parts/on-demand.js';
import { copyExactly } from '../parts/values.js';
import { AccessRequests } from './access-requests.js';
import { Application } from './application.js';
import { Applications } from './applications.js';
import { Approvals } from './approvals.js';
import { Companies } from './companies.js';
import { Company } from './company.js';
import { Delivery } from './delivery.js';
import { Find } from './find.js';
import { Health } from './health.js';
import { Hook } from './hook.js';
import { OtherOperator } from './other-operator.js';
import { PayPeriod } from './pay-period.js';
import { PayRuns } from './pay-runs.js';
import { QuickSearch } from './quick-search.js';
import { SignIn } from './sign-in.js';
import { Start } from './start.js';
import { Trail } from './trail.js';
import { Webhooks } from './webhooks.js';
import { Worker } from './worker.js';

/** The navigation with links to the pages, in groups. @type {import('../parts/frame.js').Group[]} */
const NAVIGATION = [
  { title: '', pages: [['', 'Home', 'home'], ['find', 'Find', 'find']] },
  {
    title: 'Payroll',
    pages: [
      ['runs', 'Pay runs', 'runs'],
      ['approvals', 'Approvals', 'approvals'],
      ['companies', 'Companies', 'companies'],
      ['transfer', 'Import and export', 'transfer'],
    ],
  },
  {
    title: 'Integrations',
    pages: [
      ['applications', 'Applications', 'applications'],
      ['access-requests', 'Access requests', 'access'],
      ['webhooks', 'Webhooks', 'webhooks'],
    ],
  },
  {
    title: 'Server',
    pages: [
      ['trail', 'Audit and events', 'trail'],
      ['keys', 'Operators', 'keys'],
      ['health', 'Health', 'health'],
      ...(isSandbox ? [/** @type {const} */ (['sandbox', 'Sandbox', 'sandbox'])] : []),
    ],
  },
];

const SignInAgain = onDemand(async () => (await import('../parts/sign-in-again.js')).SignInAgain);
const Keys = onDemand(async () => (await import('./keys.js')).Keys);
const Request = onDemand(async () => (await import('./request.js')).Request);
const Sandbox = onDemand(async () => (await import('./sandbox.js')).Sandbox);
const Statements = onDemand(async () => (await import('./statements.js')).Statements);
const Transfer = onDemand(async () => (await import('./transfer.js')).Transfer);

/** @type {import('../parts/frame.js').Page[]} */
const PAGES = [
  ['', () => html`<${Start} />`],
  ['runs', () => html`<${PayRuns} />`],
  ['approvals', () => html`<${Approvals} />`],
  ['companies', () => html`<${Companies} />`],
  ['companies/:', (companyId) => html`<${Company} key=${companyId} companyId=${companyId} />`],
  ['companies/:/payperiods/:', (companyId, payPeriodId) =>
    html`<${PayPeriod} key=${`${companyId}/${payPeriodId}`} companyId=${companyId} payPeriodId=${payPeriodId} />`],
  ['companies/:/payperiods/:/statements', (companyId, payPeriodId) =>
    html`<${Statements} key=${payPeriodId} companyId=${companyId} payPeriodId=${payPeriodId} />`],
  ['companies/:/payperiods/:/statements/:', (companyId, payPeriodId, paycheckId) =>
    html`<${Statements} key=${paycheckId} companyId=${companyId} payPeriodId=${payPeriodId} paycheckId=${paycheckId} />`],
  ['companies/:/workers/:', (companyId, workerId) =>
    html`<${Worker} key=${workerId} companyId=${companyId} workerId=${workerId} />`],
  ['webhooks', () => html`<${Webhooks} />`],
  ['webhooks/:/:', (applicationId, hookId) =>
    html`<${Hook} key=${hookId} applicationId=${applicationId} hookId=${hookId} />`],
  ['webhooks/:/:/:', (applicationId, hookId, deliveryId) =>
    html`<${Delivery} key=${deliveryId} applicationId=${applicationId} hookId=${hookId} deliveryId=${deliveryId} />`],
  ['find', () => html`<${Find} />`],
  ['applications', () => html`<${Applications} />`],
  ['applications/:/requests/:', (applicationId, requestId) => html`<${Request} key=${requestId} applicationId=${applicationId} requestId=${requestId} />`],
  ['applications/:', (applicationId) => html`<${Application} key=${applicationId} applicationId=${applicationId} />`],
  ['access-requests', () => html`<${AccessRequests} />`],
  ['trail', () => html`<${Trail} />`],
  ['keys', () => html`<${Keys} />`],
  ['transfer', () => html`<${Transfer} />`],
  ['health', () => html`<${Health} />`],
  ['sandbox', () => (isSandbox ? html`<${Sandbox} />` : html`<${NotFound} />`)],
];

/** Pages that belong to no company. */
const OF_SERVER = ['applications', 'access-requests', 'webhooks', 'keys', 'health', 'sandbox'];

/** Returns whether the session may use a page of the navigation. @param {string} segment */
function isShown(segment) {
  if (segment === 'transfer') return mayWrite('export');
  return !isRestricted() || !OF_SERVER.includes(segment);
}

/** Returns the navigation for the session. */
function navigationOf() {
  const groups = NAVIGATION.map((group) => ({ ...group, pages: group.pages.filter(([segment]) => isShown(segment)) }));
  return groups.filter(({ pages }) => pages.length > 0);
}

function Console() {
  const session = useSession();
  if (session === undefined) return html`<${Loading} what="the console" />`;
  if (session === null) return html`<main class="alone"><${SignIn} /></main>`;
  return html`<${SignedIn} key=${session.operatorName} session=${session} />
    ${hasExpired() ? html`<${SignInAgain} leave=${leave}><${SignIn} /><//>` : null}`;
}

/** @param {{session: import('../client/session.js').Session}} props */
function SignedIn({ session }) {
  const approvals = useApprovalCount();
  const navigation = navigationOf();
  return html`<${Frame} brand="Payroll console" account=${`${isolated(session.operatorName)} (${session.role})`}
    signOut=${signOut} navigation=${navigation} pages=${PAGES} tools=${html`<${QuickSearch} navigation=${navigation} />`}
    badges=${{ approvals: { count: approvals, what: 'pending' } }} />
    <${OtherOperator} />`;
}

const root = document.getElementById('console');
if (root) {
  copyExactly();
  render(html`<${Console} />`, root);
  void findSession();
}
