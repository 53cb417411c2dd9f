// The companies, filtered by a part of their name and by their state.
import { api, page } from '../client/client.js';
import { mayWrite } from '../client/session.js';
import { KINDS } from '../forms/kinds.js';
import { NewButton } from '../forms/object-list.js';
import { Empty } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Day, Id, Status } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';

/** @typedef {import('../client/client.js').Schemas['Company']} Company */

const STATES = /** @type {const} */ ([['', 'Any'], ['ACTIVE', 'Active'], ['CONVERTING', 'Converting'], ['ENDED', 'Ended']]);

/** @param {Company} company */
function state({ converting, endDate }) {
  if (converting) return html`<${Status} value="converting" kind="waiting" />`;
  return endDate ? html`Ends <${Day} value=${endDate} />` : html`<${Status} value="active" kind="good" />`;
}

/** @type {import('../parts/windowed.js').Column<Company>[]} */
const COLUMNS = [
  { title: 'Company', cell: (it) => html`<a href=${to('companies', it.companyId)}>${it.legalName}</a>` },
  { title: 'Account number', cell: (it) => it.displayId },
  { title: 'State', cell: state },
  { title: 'ID', cell: (it) => html`<${Id} value=${it.companyId} />` },
];

export function Companies() {
  const { query } = useLocation();
  const name = query.get('name') ?? '';
  const chosen = STATES.map(([value]) => value).find((value) => value === query.get('state')) ?? '';
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/companies', {
      params: { query: { offset, limit, ...(name ? { name } : {}), ...(chosen ? { state: [chosen] } : {}) } },
    }));
  const change = (/** @type {string} */ member) => (/** @type {any} */ event) =>
    setQuery({ name, state: chosen, [member]: event.target.value });
  const created = (/** @type {Company} */ company) => { window.location.hash = to('companies', company.companyId); };
  const isFiltered = name !== '' || chosen !== '';
  return html`
    <div class="title"><h1>Companies</h1><${NewButton} kind=${KINDS.company} path=${{}} created=${created} /></div>
    <p class="filters">
      <label>Name contains <input type="search" value=${name} onChange=${change('name')} /></label>
      <label>State <select onChange=${change('state')}>
        ${STATES.map(([value, title]) => html`<option value=${value} selected=${value === chosen}>${title}</option>`)}</select></label>
    </p>
    <${WindowedTable} label="Companies" load=${load} inputs=${[name, chosen]} columns=${COLUMNS}
      empty=${isFiltered
        ? 'No company matches the filters.'
        : html`<${Empty} title="There is no company yet.">${mayWrite('administration')
            ? html`<p class="hint">Create one with the button above, or <a href="#/transfer">import a file</a>.</p>` : null}<//>`} />
  `;
}
