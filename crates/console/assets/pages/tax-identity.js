// A tax identity, which is masked until an operator requests it. The audit log records the request.
import { useState } from 'preact/hooks';
import { useAction } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Id } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['LegalId']} LegalId */

/** @param {{legalId: LegalId | undefined, reveal: () => Promise<{item: LegalId}>}} props */
export function TaxIdentity({ legalId, reveal }) {
  const [whole, show] = useState('');
  const { busy, error, run } = useAction();
  if (!legalId) return html`<span class="nothing">–</span>`;
  const isMasked = legalId.legalIdValue.includes('*');
  const ask = () => run(async () => show((await reveal()).item.legalIdValue));
  return html`
    ${legalId.legalIdType} <${Id} value=${whole || legalId.legalIdValue} />
    ${isMasked && mayWrite('payroll') ? html` <button type="button" class="quiet" disabled=${busy}
      title=${whole ? null : 'The audit log records that you have seen it.'}
      onClick=${whole ? () => show('') : ask}>${whole ? 'Hide' : 'Show'}<span class="unseen"> the tax identity</span></button>` : null}
    <${Failed} error=${error} />
  `;
}
