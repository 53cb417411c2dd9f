// A search field for an id, a name or an account number.
import { useState } from 'preact/hooks';
import { api, page } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Id } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['SearchHit']} Hit */

/** Maximum number of hits of a kind that the server returns. */
const HITS = 20;

/** @type {Record<Hit['kind'], string>} */
export const KINDS = { company: 'Company', worker: 'Worker', payPeriod: 'Pay period', check: 'Check', application: 'Application' };

/** Returns the address of the page for a hit. @param {Hit} hit */
export function pageOf({ kind, id, companyId = '', payPeriodId = '' }) {
  switch (kind) {
    case 'company': return to('companies', id);
    case 'worker': return to('companies', companyId, 'workers', id);
    case 'payPeriod': return to('companies', companyId, 'payperiods', id);
    case 'check': return to('companies', companyId, 'payperiods', payPeriodId);
    case 'application': return to('applications', id);
  }
}

/** @param {{hit: Hit}} props */
function Found({ hit }) {
  return html`<li>
    <span class="hint">${KINDS[hit.kind]}</span> <a href=${pageOf(hit)}>${hit.name ?? hit.id}</a>
    ${hit.number ? html` ${hit.number}` : null} <${Id} value=${hit.id} />
    ${hit.companyName && hit.kind !== 'company' ? html` <span class="hint">of ${hit.companyName}</span>` : null}
  </li>`;
}

export function Find() {
  const { query } = useLocation();
  const text = query.get('text') ?? '';
  const [typed, type] = useState(text);
  const found = useLoad(
    async () => (text === '' ? undefined : page(api.GET('/operator/v1/search', { params: { query: { q: text } } }))),
    [text],
  );
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setQuery({ text: typed.trim() });
  };
  return html`
    <h1>Find</h1>
    <form class="filters" role="search" onSubmit=${submit}>
      <label>Name, id or number
        <input type="search" value=${typed} minlength="2" aria-describedby="find-hint"
          onInput=${(/** @type {any} */ event) => type(event.target.value)} size="30" /></label>
      <button type="submit" class="primary">Search</button>
    </form>
    <p class="hint" id="find-hint">Enter part of the name of a company or an application, the beginning of a worker's name, or a complete id or number.</p>
    ${text === '' ? null : html`<${Loaded} of=${found.loading ? { value: undefined, error: undefined } : found} what="the results">
      ${(/** @type {{items: Hit[]}} */ { items }) => (items.length === 0
        ? html`<${Empty} title="Nothing was found."><p class="hint">Enter the beginning of a worker's given or family name. Ids and numbers must be complete.</p><//>`
        : html`<ul class="hits">${items.map((hit) => html`<${Found} hit=${hit} />`)}</ul>
            ${items.length >= HITS ? html`<p class="hint">No more than ${HITS} of each kind are shown.</p>` : null}`)}
    <//>`}
  `;
}
