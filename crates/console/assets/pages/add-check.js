// A form that adds a check to an open pay period.
import { useState } from 'preact/hooks';
import { ApiError, api, body } from '../client/client.js';
import { mayWrite } from '../client/session.js';
import { ObjectForm } from '../forms/object-form.js';
import { html } from '../parts/html.js';
import { Icon } from '../parts/icons.js';
import { toast } from '../parts/toast.js';

/** @typedef {import('../client/client.js').Schemas['CheckInput']} CheckInput */
/** @typedef {{companyId: string, payPeriodId: string}} Path */

/** @param {Path} path @returns {import('../forms/kinds.js').ObjectKind} */
function kindOf({ payPeriodId }) {
  return {
    noun: 'check', list: '', schema: 'CheckInput', ownId: '', first: ['earnings'], consequence: '', nameOf: () => '',
    hidden: ['payPeriodId', 'checkCorrelationId'],
    // The check's id in the request has no meaning for an operator, but must be unique.
    defaults: { payPeriodId, checkCorrelationId: crypto.randomUUID(), earnings: [{}] },
  };
}

/**
 * Sends a request with one check, so that all faults belong to the check.
 *
 * @param {Path} path
 * @param {CheckInput} check
 * @param {string} key
 */
async function add(path, check, key) {
  try {
    await body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/checks', {
      params: { path, header: { 'Idempotency-Key': key } },
      body: [check],
    }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const errors = error.errors.map((fault) => ({ ...fault, pointer: fault.pointer?.replace(/^\/0(?=\/|$)/, '') }));
    throw Object.create(error, { errors: { value: errors } });
  }
}

/** @param {{path: Path, added: () => void}} props */
export function AddCheck({ path, added }) {
  const [kind, setKind] = useState(/** @type {import('../forms/kinds.js').ObjectKind | undefined} */ (undefined));
  if (!mayWrite('payroll')) return null;
  const done = () => {
    setKind(undefined);
    toast('The check was added.');
    added();
  };
  return html`<button type="button" onClick=${() => setKind(kindOf(path))}><${Icon} name="plus" />Add a check</button>
    ${kind ? html`<${ObjectForm} kind=${kind} path=${{ companyId: path.companyId }} done=${done} close=${() => setKind(undefined)}
      add=${(/** @type {CheckInput} */ check, /** @type {string} */ key) => add(path, check, key)} />` : null}`;
}
