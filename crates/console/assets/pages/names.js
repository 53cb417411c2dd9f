// Links with the names of companies, applications, workers and pay periods whose ids a response contains.
import { applicationName, companyName, nameOfWorker, payPeriodName, useName } from '../client/names.js';
import { sourceOf } from '../forms/references.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';

/** @param {{id: string | undefined}} props */
export function CompanyLink({ id }) {
  const name = useName(id ? () => companyName(id) : undefined, id ?? '');
  return id ? html`<a href=${to('companies', id)} title=${id}>${name}</a>` : html`<span class="nothing">–</span>`;
}

/** @param {{id: string}} props */
export function ApplicationLink({ id }) {
  const name = useName(() => applicationName(id), id);
  return html`<a href=${to('applications', id)} title=${id}>${name}</a>`;
}

/** @param {{companyId: string | undefined, id: string | undefined}} props */
export function WorkerLink({ companyId, id }) {
  const name = useName(companyId && id ? () => nameOfWorker(companyId, id) : undefined, id ?? '');
  return companyId && id
    ? html`<a href=${to('companies', companyId, 'workers', id)} title=${id}>${name}</a>`
    : html`<span class="nothing">–</span>`;
}

/** @param {{companyId: string | undefined, id: string | undefined, query?: string}} props */
export function PayPeriodLink({ companyId, id, query = '' }) {
  const name = useName(companyId && id ? () => payPeriodName(companyId, id) : undefined, id ?? '');
  return companyId && id
    ? html`<a href=${`${to('companies', companyId, 'payperiods', id)}${query}`} title=${id}>${name}</a>`
    : html`<span class="nothing">–</span>`;
}

/**
 * Shows the name of an object in a company's list.
 *
 * @param {{companyId: string, member: string, id: string | undefined}} props
 */
export function ListName({ companyId, member, id }) {
  const name = useName(id ? () => sourceOf(member, '', { companyId })?.nameOf(id) ?? Promise.resolve(id) : undefined, id ?? '');
  return id ? html`<span title=${id}>${name}</span>` : html`<span class="nothing">–</span>`;
}

/** @param {{companyId: string, id: string}} props */
export function ComponentName({ companyId, id }) {
  return html`<${ListName} companyId=${companyId} member="componentId" id=${id} />`;
}
