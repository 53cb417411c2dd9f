// The contacts of a worker.
import { html } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { Status } from '../parts/values.js';
import { ListName } from './names.js';

/** @typedef {NonNullable<import('../client/client.js').Schemas['Worker']['contacts']>[number]} Contact */

/** @param {Contact} it */
function nameOf({ relationship: { person, entity } }) {
  return person ? [person.name.givenName, person.name.familyName].join(' ') : entity?.entityName;
}

/** @param {Contact} it */
function reachedBy({ relationship: { person, entity } }) {
  const of = person?.communication ?? entity?.communication;
  const telecom = [of?.telecom ?? []].flat().map((it) => [it.dialCountry && `+${it.dialCountry}`, it.dialArea, it.dialNumber, it.extension && `ext. ${it.extension}`]);
  const postal = [of?.postal ?? []].flat().map((it) => [it.streetLineOne, it.streetLineTwo, it.postOfficeBox, it.city, it.postalCode]);
  const email = [of?.email ?? []].flat().map((it) => [it.uri]);
  return [...telecom, ...postal, ...email].map((parts) => parts.filter(Boolean).join(' ')).join(', ');
}

/** @param {{companyId: string, contacts: Contact[]}} props */
export function Contacts({ companyId, contacts }) {
  const columns = [
    { title: 'Type', cell: (/** @type {Contact} */ it) => html`<${ListName} companyId=${companyId} member="contactTypeId" id=${it.contactType.contactTypeId} />` },
    { title: 'Name', cell: nameOf },
    { title: 'Primary', cell: (/** @type {Contact} */ it) => (it.relationship.primary ? html`<${Status} value="primary" kind="good" />` : '–') },
    { title: 'Address or number', cell: reachedBy },
  ];
  return html`
    <h2>Contacts</h2>
    <${Table} label="Contacts" items=${contacts} columns=${columns} empty="The worker has no contact." />
  `;
}
