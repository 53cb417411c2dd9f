// One box for whatever one looks for: an id, a name, an account number.
import { useState } from 'preact/hooks';
import { ApiError, api, one, page } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Empty, Failed, Loading } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Id } from '../parts/values.js';

/** @typedef {{kind: string, name: string, id: string, href: string}} Hit */

/** The most companies in which workers of a name are looked for. */
const COMPANIES = 20;
/** The most hits of a kind. */
const HITS = 20;

/** Text that can be the id of something. */
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** What a lookup finds; nothing for what is not there. @template T @param {Promise<T>} lookup */
async function maybe(lookup) {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return undefined;
    throw error;
  }
}

/** @param {string} text @param {string} within @returns {Promise<Hit[]>} */
async function find(text, within) {
  if (text === '') return [];
  const [byName, byNumber, company, application] = await Promise.all([
    maybe(page(api.GET('/operator/v1/companies', { params: { query: { name: text, limit: HITS } } }))),
    maybe(page(api.GET('/operator/v1/companies', { params: { query: { displayid: text, limit: HITS } } }))),
    ID.test(text) ? maybe(one(api.GET('/operator/v1/companies/{companyId}', { params: { path: { companyId: text } } }))) : undefined,
    ID.test(text) ? maybe(one(api.GET('/operator/v1/applications/{applicationId}', { params: { path: { applicationId: text } } }))) : undefined,
  ]);
  const companies = new Map(
    [...(company ? [company.item] : []), ...(byNumber?.items ?? []), ...(byName?.items ?? [])].map((it) => [it.companyId, it]),
  );
  /** @type {Hit[]} */
  const hits = [...companies.values()].map((it) => ({
    kind: 'Company', name: `${it.legalName} ${it.displayId}`, id: it.companyId, href: to('companies', it.companyId),
  }));
  if (application) {
    const { applicationId, name } = application.item;
    hits.push({ kind: 'Application', name, id: applicationId, href: to('applications', applicationId) });
  }
  return [...hits, ...(await inCompanies(text, within))];
}

/** Workers, periods by name and id. @param {string} text @param {string} within */
async function inCompanies(text, within) {
  const all = within === '' ? await page(api.GET('/operator/v1/companies', { params: { query: { limit: COMPANIES } } })) : undefined;
  const companies = within === '' ? (all?.items ?? []).map((it) => it.companyId) : [within];
  const found = await Promise.all(companies.map(async (companyId) => {
    const path = { companyId };
    const [named, numbered, worker, period] = await Promise.all([
      maybe(page(api.GET('/operator/v1/companies/{companyId}/workers', { params: { path, query: { name: text, limit: HITS } } }))),
      maybe(page(api.GET('/operator/v1/companies/{companyId}/workers', { params: { path, query: { employeeid: text, limit: HITS } } }))),
      ID.test(text) ? maybe(one(api.GET('/operator/v1/companies/{companyId}/workers/{workerId}', { params: { path: { companyId, workerId: text } } }))) : undefined,
      ID.test(text) ? maybe(one(api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}', { params: { path: { companyId, payPeriodId: text } } }))) : undefined,
    ]);
    const workers = new Map(
      [...(worker ? [worker.item] : []), ...(numbered?.items ?? []), ...(named?.items ?? [])].map((it) => [it.workerId, it]),
    );
    /** @type {Hit[]} */
    const hits = [...workers.values()].map((it) => ({
      kind: 'Worker', name: nameOf(it), id: it.workerId, href: to('companies', companyId, 'workers', it.workerId),
    }));
    if (period) {
      const { payPeriodId, description } = period.item;
      hits.push({ kind: 'Pay period', name: description ?? payPeriodId, id: payPeriodId, href: to('companies', companyId, 'payperiods', payPeriodId) });
    }
    return hits;
  }));
  return found.flat();
}

/** @param {import('../client/client.js').Schemas['Worker']} worker */
export function nameOf(worker) {
  return [worker.name?.givenName, worker.name?.familyName].filter(Boolean).join(' ') || worker.workerId;
}

export function Find() {
  const { query } = useLocation();
  const text = query.get('text') ?? '';
  const within = query.get('company') ?? '';
  const [typed, type] = useState(text);
  const [company, setCompany] = useState(within);
  const found = useLoad(() => find(text, within), [text, within]);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setQuery({ text: typed.trim(), company: company.trim() });
  };
  return html`
    <h1>Find</h1>
    <form class="filters" role="search" onSubmit=${submit}>
      <label>Name, id or account number
        <input type="search" value=${typed} onInput=${(/** @type {any} */ event) => type(event.target.value)} size="30" /></label>
      <label>In the company (its id, if known)
        <input value=${company} onInput=${(/** @type {any} */ event) => setCompany(event.target.value)} size="24" /></label>
      <button type="submit" class="primary">Search</button>
    </form>
    <p class="hint">Workers and pay periods are looked for in the first ${COMPANIES} companies where no company is given.</p>
    ${found.error ? html`<${Failed} error=${found.error} />` : null}
    ${text === '' || found.error
      ? null
      : found.loading || found.value === undefined
        ? html`<${Loading} what="what was found" />`
        : found.value.length === 0
          ? html`<${Empty} title="Nothing was found."><p>A part of a name is enough; ids and account numbers must be whole.</p><//>`
          : html`<ul class="hits">
              ${found.value.map((hit) => html`<li><span class="hint">${hit.kind}</span> <a href=${hit.href}>${hit.name}</a> <${Id} value=${hit.id} /></li>`)}
            </ul>`}
  `;
}
