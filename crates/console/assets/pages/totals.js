// The totals of a completion.
import { html } from '../parts/html.js';
import { Facts } from '../parts/table.js';
import { Count, Money } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['Totals']} Totals */

/** @param {{totals: Totals | undefined}} props */
export function TotalsOfPreview({ totals }) {
  return html`<${Facts} pairs=${[
    ['Checks', html`<${Count} value=${totals?.checks} />`],
    ['Workers', html`<${Count} value=${totals?.workers} />`],
    ['Gross', html`<${Money} value=${totals?.grossEarnings} />`],
    ['Employee taxes', html`<${Money} value=${totals?.employeeTaxes} />`],
    ['Deductions', html`<${Money} value=${totals?.deductions} />`],
    ['Net', html`<${Money} value=${totals?.netPay} />`],
    ['Employer taxes', html`<${Money} value=${totals?.employerTaxes} />`],
    ['Employer cost', html`<${Money} value=${totals?.employerCost} />`],
  ]} />`;
}
