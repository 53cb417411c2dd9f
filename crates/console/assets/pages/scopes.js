// The scopes of grants: the permissions of each, and the scopes that show personal data.
import { html } from '../parts/html.js';

/** @typedef {import('../client/client.js').Schemas['Grant']['scopes'][number]} Scope */

/** The description of each scope, and whether it shows personal data. @type {Record<Scope, [string, boolean]>} */
export const SCOPES = {
  'read:companies': ['Read the company and its lists: organizations, job titles, custom fields.', false],
  'write:companies': ['Add, change and delete custom fields of the company. Add and change its jobs.', false],
  'read:payroll': ['Read checks, pay periods, pay components, pay rates and recurring components.', true],
  'write:payroll': ['Add and delete checks. Change pay rates and recurring components.', true],
  'read:workers': ['Read workers with their addresses and telephones.', true],
  'write:workers': ['Change workers and their addresses and telephones.', true],
  'read:taxids': ['See social security numbers in full.', true],
  'read:taxes': ['Read the tax settings of workers.', true],
  'write:taxes': ['Change the tax settings of workers.', true],
  'read:deposits': ['Read the bank accounts of workers, with account numbers.', true],
  'read:documents': ['Read the documents and profile images of workers.', true],
  'write:documents': ['Add and delete documents and profile images of workers.', true],
  'write:deposits': ['Add, change and delete the bank accounts of workers.', true],
};

export const ALL_SCOPES = /** @type {Scope[]} */ (Object.keys(SCOPES));

/**
 * Checkboxes for scopes.
 *
 * @param {{chosen: Scope[], change: (scopes: Scope[]) => void, offered?: readonly Scope[], legend?: string}} props
 */
export function ScopeFields({ chosen, change, offered = ALL_SCOPES, legend = 'Scopes' }) {
  const toggle = (/** @type {Scope} */ scope) =>
    change(chosen.includes(scope) ? chosen.filter((it) => it !== scope) : [...chosen, scope]);
  return html`<fieldset>
    <legend>${legend}</legend>
    ${offered.map((scope) => html`<p><label class="flag"><input type="checkbox" checked=${chosen.includes(scope)} onChange=${() => toggle(scope)} />
      <span><code>${scope}</code> ${SCOPES[scope][1] ? html`<span class="status waiting">personal data</span>` : null}<br />
      <span class="hint">${SCOPES[scope][0]}</span></span></label></p>`)}
  </fieldset>`;
}
