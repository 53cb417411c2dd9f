// The journal of a pay period: debits and credits by account.
import { api, one } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Download } from './download.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { Money } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['Journal']} Sums */
/** @typedef {import('../client/client.js').Schemas['JournalEntry']} Entry */

/** @type {import('../parts/windowed.js').Column<Entry>[]} */
const COLUMNS = [
  { title: 'Account', cell: (entry) => entry.account },
  { title: 'For', cell: (entry) => entry.name },
  { title: 'Organization', cell: (entry) => entry.organizationName ?? entry.organizationId ?? '–' },
  { title: 'Debit', number: true, cell: (entry) => html`<${Money} value=${entry.debit} />` },
  { title: 'Credit', number: true, cell: (entry) => html`<${Money} value=${entry.credit} />` },
];

/** @param {{path: {companyId: string, payPeriodId: string}, version: string}} props */
export function Journal({ path, version }) {
  const journal = useLoad(
    () => one(api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/journal', { params: { path } })),
    [path.companyId, path.payPeriodId, version],
  );
  const csv = `/operator/v1/companies/${encodeURIComponent(path.companyId)}/payperiods/${encodeURIComponent(path.payPeriodId)}/journal`;
  return html`<section>
    <h2>Journal</h2>
    <${Loaded} of=${journal} what="the journal">
      ${(/** @type {{item: Sums}} */ { item }) => html`
        <${Download} path=${csv} name=${`journal-${path.payPeriodId}.csv`} title="Journal as CSV" />
        <p>Debits <${Money} value=${item.totalDebit} />, credits <${Money} value=${item.totalCredit} /></p>
        <${Table} label="Journal" items=${item.entries} columns=${COLUMNS} empty="There are no entries." />
      `}
    <//>
  </section>`;
}
