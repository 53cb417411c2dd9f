// The start page: items that need attention, the next pay runs, and the latest pending approvals.
import { api, one, page } from '../client/client.js';
import { needsTwoOperators } from '../client/server.js';
import { isRestricted, mayWrite } from '../client/session.js';
import { useLoad } from '../api/load.js';
import { KINDS } from '../forms/kinds.js';
import { NewButton } from '../forms/object-list.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Icon } from '../parts/icons.js';
import { to } from '../parts/router.js';
import { Table } from '../parts/table.js';
import { Count, Day, Money, Status, periodTitle } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['PayRun']} PayRun */
/** @typedef {import('../client/client.js').Schemas['QueueSummary']} Queue */
/** @typedef {import('../client/client.js').Schemas['ServerHealth']} Health */
/** @typedef {import('../parts/icons.js').IconName} IconName */

/** Maximum number of pay runs on the page. */
const SHOWN = 8;

/**
 * A number with a link to its page.
 *
 * @param {{href: string, icon: IconName, name: string, figure: any, hint: any}} props
 */
function Card({ href, icon, name, figure, hint }) {
  return html`<a class="card" href=${href}>
    <span class="name"><${Icon} name=${icon} />${name}</span>
    <span class="figure">${figure}</span>
    <span class="hint">${hint}</span>
  </a>`;
}

/** A card for a loaded value. @param {{of: {value: any, error: unknown}, href: string, icon: IconName, name: string, show: (value: any) => [any, any]}} props */
function LoadedCard({ of, href, icon, name, show }) {
  const [figure, hint] = of.error ? ['–', 'Could not be loaded. Reload the page.'] : of.value === undefined ? ['…', 'Loading'] : show(of.value);
  return html`<${Card} href=${href} icon=${icon} name=${name} figure=${figure} hint=${hint} />`;
}

/** @type {import('../parts/windowed.js').Column<PayRun>[]} */
const COLUMNS = [
  { title: 'Company', cell: (run) => html`<a href=${to('companies', run.companyId)}>${run.legalName}</a>` },
  { title: 'Pay period', cell: (run) => html`<a href=${to('companies', run.companyId, 'payperiods', run.payPeriodId)}>${periodTitle(run)}</a>` },
  { title: 'Status', cell: (run) => html`<${Status} value=${run.status} />` },
  { title: 'Check date', cell: (run) => html`<${Day} value=${run.checkDate} />` },
  { title: 'Gross', number: true, cell: (run) => html`<${Money} value=${run.totals?.grossEarnings} />` },
];

/** Returns the number of elements in a list. @param {string} hint */
function total(hint) {
  return (/** @type {{total: number}} */ value) => [html`<${Count} value=${value.total} />`, hint];
}

/** Shows the cards that belong to no company. */
function ServerCards() {
  const access = useLoad(() => page(api.GET('/operator/v1/accessrequests', { params: { query: { limit: 1 } } })), []);
  const queue = useLoad(() => one(api.GET('/operator/v1/hooks/summary')), []);
  const health = useLoad(() => one(api.GET('/operator/v1/health')), []);
  return html`
    <${LoadedCard} of=${access} href="#/access-requests" icon="access" name="Access requests" show=${total('pending decisions')} />
    <${LoadedCard} of=${queue} href="#/webhooks" icon="webhooks" name="Failing hooks"
      show=${(/** @type {{item: Queue}} */ { item }) => [html`<${Count} value=${item.failingHooks} />`,
        html`of <${Count} value=${item.activeHooks} /> active hooks, <${Count} value=${item.waiting} /> pending deliveries`]} />
    <${LoadedCard} of=${health} href="#/health" icon="health" name="Health"
      show=${(/** @type {{item: Health}} */ { item }) => [item.ready ? 'Ready' : 'Not ready', `release ${item.version}`]} />
  `;
}

export function Start() {
  const runs = useLoad(() => page(api.GET('/operator/v1/payruns', { params: { query: { limit: SHOWN } } })), []);
  const processing = useLoad(() => page(api.GET('/operator/v1/payruns', { params: { query: { limit: 1, status: 'PROCESSING' } } })), []);
  const approvals = useLoad(
    async () => (needsTwoOperators ? page(api.GET('/operator/v1/completionrequests', { params: { query: { limit: 1 } } })) : { items: [], total: 0 }),
    [],
  );
  return html`
    <h1>Home</h1>
    <div class="cards">
      <${LoadedCard} of=${runs} href="#/runs" icon="runs" name="Pay runs due" show=${total('open or in processing')} />
      ${needsTwoOperators
        ? html`<${LoadedCard} of=${approvals} href="#/approvals" icon="approvals" name="Approvals" show=${total('pending completion requests')} />`
        : html`<${LoadedCard} of=${processing} href="#/runs?status=PROCESSING" icon="approvals" name="To complete" show=${total('pay runs in processing')} />`}
      ${isRestricted() ? null : html`<${ServerCards} />`}
    </div>
    <div class="title"><h2>Next pay runs</h2><a href="#/runs">All pay runs</a></div>
    <${Loaded} of=${runs} what="the pay runs">
      ${(/** @type {{items: PayRun[]}} */ { items }) => html`<${Table} label="Next pay runs" items=${items} columns=${COLUMNS} empty=${html`<${FirstSteps} />`} />`}
    <//>
  `;
}

/** Shows the steps to the first pay run. */
function FirstSteps() {
  const created = (/** @type {{companyId: string}} */ company) => { window.location.hash = to('companies', company.companyId); };
  return html`<${Empty} title="No pay period is open or in processing.">
    <p class="hint">Create a company with its workers and a pay period, or <a href="#/companies">choose a company</a>.</p>
    ${mayWrite('administration') ? html`<${NewButton} kind=${KINDS.company} path=${{}} created=${created} />` : null}
  <//>`;
}
