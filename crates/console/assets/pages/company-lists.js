// The lists of a company to which its workers and checks refer.
import { mayReadPersonalData } from '../client/session.js';
import { KINDS } from '../forms/kinds.js';
import { ObjectList } from '../forms/object-list.js';
import { html } from '../parts/html.js';
import { Day, Id, Money, choiceText } from '../parts/values.js';
import { ListName } from './names.js';

/** The columns of a list whose objects have only a name. @param {string} name @param {string} id */
function named(name, id) {
  return [
    { title: 'Name', cell: (/** @type {any} */ it) => it[name] },
    { title: 'ID', cell: (/** @type {any} */ it) => html`<${Id} value=${it[id]} />` },
  ];
}

const DAYS = [
  { title: 'Starts', cell: (/** @type {any} */ it) => html`<${Day} value=${it.startDate} />` },
  { title: 'Ends', cell: (/** @type {any} */ it) => html`<${Day} value=${it.endDate} />` },
];

/** @param {{companyId: string}} props */
export function CompanyLists({ companyId }) {
  const path = { companyId };
  const nameIn = (/** @type {string} */ member, /** @type {string} */ reference) => (/** @type {any} */ it) =>
    html`<${ListName} companyId=${companyId} member=${reference} id=${it[member]} />`;
  return html`
    <${ObjectList} kind=${KINDS.organization} path=${path} title="Organizations" hint="Organizational units of the company, such as departments or branches."
      columns=${[{ title: 'Name', cell: (/** @type {any} */ it) => it.name }, { title: 'Number', cell: (/** @type {any} */ it) => it.number ?? '–' },
        { title: 'Parent unit', cell: nameIn('parentOrganizationId', 'organizationId') }]} />
    <${ObjectList} kind=${KINDS.jobTitle} path=${path} title="Job titles"
      columns=${[{ title: 'Title', cell: (/** @type {any} */ it) => it.title }, ...DAYS]} />
    <${ObjectList} kind=${KINDS.job} path=${path} title="Jobs"
      columns=${[{ title: 'Name', cell: (/** @type {any} */ it) => it.jobName }, ...DAYS]} />
    <${ObjectList} kind=${KINDS.location} path=${path} title="Locations"
      columns=${[{ title: 'Name', cell: (/** @type {any} */ it) => it.name },
        { title: 'Moved in', cell: (/** @type {any} */ it) => html`<${Day} value=${it.movedIn} />` },
        { title: 'Moved out', cell: (/** @type {any} */ it) => html`<${Day} value=${it.movedOut} />` }]} />
    <${ObjectList} kind=${KINDS.laborAssignment} path=${path} title="Labor assignments" hint="Work that hours are booked on, such as a shift at a location."
      columns=${[{ title: 'Name', cell: (/** @type {any} */ it) => it.name },
        { title: 'Rate', number: true, cell: (/** @type {any} */ it) => html`<${Money} value=${it.rate} />` }, ...DAYS]} />
    <${ObjectList} kind=${KINDS.documentCategory} path=${path} title="Document categories" columns=${named('categoryName', 'categoryId')} />
    ${mayReadPersonalData() ? html`<${ObjectList} kind=${KINDS.user} path=${path} title="Users" hint="Persons who use the payroll system and are not workers of the company."
      columns=${[{ title: 'Name', cell: (/** @type {any} */ it) => KINDS.user.nameOf(it) },
        { title: 'Title', cell: (/** @type {any} */ it) => it.title ?? '–' },
        { title: 'E-mail', cell: (/** @type {any} */ it) => it.email ?? '–' },
        { title: 'Active', cell: (/** @type {any} */ it) => (it.active ? 'Yes' : 'No') }]} />` : null}
    <${ObjectList} kind=${KINDS.customFieldCategory} path=${path} title="Categories of custom fields" columns=${named('categoryName', 'categoryId')} />
    <${ObjectList} kind=${KINDS.customField} path=${path} title="Custom fields"
      columns=${[{ title: 'Name', cell: (/** @type {any} */ it) => it.customFieldName },
        { title: 'Type', cell: (/** @type {any} */ it) => choiceText(it.type) },
        { title: 'Category', cell: nameIn('categoryId', 'categoryId') }]} />
    <${ObjectList} kind=${KINDS.calculationBase} path=${path} title="Calculation bases" columns=${named('calculationBaseName', 'calculationBaseId')} />
    <${ObjectList} kind=${KINDS.contactType} path=${path} title="Contact types" columns=${named('contactTypeName', 'contactTypeId')} />
    <${ObjectList} kind=${KINDS.customEmploymentType} path=${path} title="Custom employment types"
      columns=${named('customEmploymentTypeName', 'customEmploymentTypeId')} />
  `;
}
