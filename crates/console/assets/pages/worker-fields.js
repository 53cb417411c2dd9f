// A worker's values of the company's custom fields.
import { api, page } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { Day } from '../parts/values.js';

/** @typedef {NonNullable<import('../client/client.js').Schemas['Worker']['customFields']>[number]} Value */
/** @typedef {import('../client/client.js').Schemas['CustomField']} Field */

/** Maximum number of a company's custom fields that are read at once. */
const LISTED = 1000;

/** @param {Value} it @param {Field | undefined} field */
function valueOf(it, field) {
  if (it.dateValue !== undefined) return html`<${Day} value=${it.dateValue} />`;
  if (it.booleanValue !== undefined) return it.booleanValue ? 'Yes' : 'No';
  if (it.dropdownId === undefined) return it.textValue ?? it.numericValue;
  return field?.dropdown?.find((choice) => choice.dropdownId === it.dropdownId)?.dropdownValue ?? it.dropdownId;
}

/** @param {{companyId: string, values: Value[]}} props */
export function CustomFields({ companyId, values }) {
  const path = { companyId };
  const fields = useLoad(() => page(api.GET('/operator/v1/companies/{companyId}/customfields', { params: { path, query: { limit: LISTED } } })), [companyId]);
  return html`
    <h2>Custom fields</h2>
    <${Loaded} of=${fields} what="the custom fields">
      ${(/** @type {{items: Field[]}} */ { items }) => {
        const fieldOf = (/** @type {Value} */ it) => items.find((field) => field.customFieldId === it.customFieldId);
        const columns = [
          { title: 'Field', cell: (/** @type {Value} */ it) => fieldOf(it)?.customFieldName ?? it.customFieldId },
          { title: 'Value', cell: (/** @type {Value} */ it) => valueOf(it, fieldOf(it)) },
          { title: 'Starts', cell: (/** @type {Value} */ it) => html`<${Day} value=${it.startDate} />` },
          { title: 'Ends', cell: (/** @type {Value} */ it) => html`<${Day} value=${it.endDate} />` },
        ];
        return html`<${Table} label="Custom fields" items=${values} columns=${columns} empty="The worker has no values of custom fields." />`;
      }}
    <//>
  `;
}
