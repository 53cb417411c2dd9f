// A worker: who it is, what it is paid, and what has become of it.
import { api, one, page } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Editor } from './editor.js';
import { Loaded } from '../parts/feedback.js';
import { History } from './history.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Facts, Table } from '../parts/table.js';
import { Day, Id, Money, plain } from '../parts/values.js';
import { nameOf } from '../client/names.js';
import { TaxIdentity } from './tax-identity.js';

/** @typedef {import('../client/client.js').Schemas['Worker']} Shown */
/** @typedef {import('../client/client.js').Schemas['PayRate']} Rate */

/** @type {import('../parts/windowed.js').Column<Rate>[]} */
const RATES = [
  { title: 'Number', cell: (rate) => rate.rateNumber },
  { title: 'Type', cell: (rate) => plain(rate.rateType) },
  { title: 'From', cell: (rate) => html`<${Day} value=${rate.startDate} />` },
  { title: 'Rate', number: true, cell: (rate) => html`<${Money} value=${rate.amount} />` },
];

/** @param {{companyId: string, workerId: string}} props */
export function Worker({ companyId, workerId }) {
  const path = { companyId, workerId };
  const read = () => one(api.GET('/operator/v1/companies/{companyId}/workers/{workerId}', { params: { path } }));
  const worker = useLoad(read, [companyId, workerId]);
  const rates = useLoad(
    () => page(api.GET('/operator/v1/companies/{companyId}/workers/{workerId}/payrates', { params: { path } })),
    [companyId, workerId],
  );
  return html`
    <p class="above"><a href=${to('companies', companyId)}>${companyId}</a></p>
    <${Loaded} of=${worker} what="the worker">
      ${(/** @type {{item: Shown, tag: string}} */ { item, tag }) => html`
        <h1>${nameOf(item)}</h1>
        <${Facts} pairs=${[
          ['Worker', html`<${Id} value=${item.workerId} />`],
          ['Employee id', html`<${Id} value=${item.employeeId} />`],
          ['Type', item.workerType],
          ['Birth date', html`<${Day} value=${item.birthDate} />`],
          ['Tax identity', html`<${TaxIdentity} legalId=${item.legalId}
            reveal=${() => one(api.POST('/operator/v1/companies/{companyId}/workers/{workerId}/reveal-taxid', { params: { path } }))} />`],
        ]} />
        <${Editor} title="Change the worker" object=${item} tag=${tag} saved=${worker.reload} load=${read}
          save=${(/** @type {import('../client/client.js').Schemas['WorkerPatch']} */ patch, /** @type {string} */ version) =>
            one(api.PATCH('/operator/v1/companies/{companyId}/workers/{workerId}', { params: { path, header: { 'If-Match': version } }, body: patch }))} />
      `}
    <//>
    <h2>Pay rates</h2>
    <${Loaded} of=${rates} what="the pay rates">
      ${(/** @type {{items: Rate[]}} */ { items }) => html`<${Table} label="Pay rates" items=${items} columns=${RATES}
        empty="The worker has no pay rates." />`}
    <//>
    <${History} companyId=${companyId} kind="worker" resourceId=${workerId} version=${worker.value?.tag} />
  `;
}
