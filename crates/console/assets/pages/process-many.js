// Processes several pay periods one after another and reports the result of each.
import { useState } from 'preact/hooks';
import { ApiError, api, body, idempotencyKey, one } from '../client/client.js';
import { Dialog } from '../parts/dialog.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { toast } from '../parts/toast.js';
import { Count, periodTitle } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['PayRun']} PayRun */
/** A pay run whose step failed, and the reason. @typedef {{run: PayRun, error: unknown}} Failure */

/** Maximum number of pay runs to process at once, which is the largest page of the API. */
export const MAX_CHOSEN = 1000;

/** Processes the current version of the pay run on the server. @param {PayRun} run */
async function process({ companyId, payPeriodId }) {
  const path = { companyId, payPeriodId };
  const { tag } = await one(api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}', { params: { path } }));
  const header = { 'If-Match': tag, 'Idempotency-Key': idempotencyKey() };
  await body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/process', { params: { path, header } }));
}

/** @param {{chosen: PayRun[], done: () => void}} props */
export function ProcessChosen({ chosen, done }) {
  const [isAsked, ask] = useState(false);
  const [finished, finish] = useState(/** @type {number | undefined} */ (undefined));
  const [failures, setFailures] = useState(/** @type {Failure[]} */ ([]));
  const isBusy = finished !== undefined;
  const begin = () => {
    setFailures([]);
    ask(true);
  };
  const run = async () => {
    /** @type {Failure[]} */
    const failed = [];
    for (const [at, one] of chosen.entries()) {
      finish(at);
      await process(one).catch((error) => failed.push({ run: one, error }));
    }
    finish(undefined);
    setFailures(failed);
    ask(false);
    toast(`${chosen.length - failed.length} of ${chosen.length} pay periods are in processing.`);
    done();
  };
  return html`
    <button type="button" class="primary" disabled=${chosen.length === 0 || isBusy} onClick=${begin}>
      ${`Process ${chosen.length} selected`}</button>
    ${isAsked
      ? html`<${Dialog} title=${`Process ${chosen.length} pay periods?`} confirm="Process" busy=${isBusy} onConfirm=${run} onClose=${() => ask(false)}>
          <p>This closes the pay periods for checks and locks their companies, so that you can complete the pay periods. Until then, you can reopen them.</p>
          ${isBusy ? html`<${Progress} label="Processed pay periods" done=${finished} of=${chosen.length} />` : null}
        <//>`
      : null}
    ${failures.length > 0 ? html`<${Failures} failures=${failures} done="processed" />` : null}
  `;
}

/** @param {{label: string, done: number | undefined, of: number}} props */
export function Progress({ label, done, of }) {
  return html`<p><progress max=${of} value=${done} aria-label=${label}></progress>
    <span role="status"> <${Count} value=${done} /> of <${Count} value=${of} /></span></p>`;
}

/** @param {{failures: Failure[], done: string}} props `done` is the step that did not happen, such as "processed" */
export function Failures({ failures, done }) {
  return html`<div class="failed" role="alert">
    <p><strong>${failures.length === 1 ? 'One pay period was' : `${failures.length} pay periods were`} not ${done}.</strong></p>
    <ul>${failures.map(({ run, error }) => html`<li>
      <a href=${to('companies', run.companyId, 'payperiods', run.payPeriodId)}>${run.legalName}, ${periodTitle(run)}</a>: ${reason(error)}</li>`)}</ul>
  </div>`;
}

/** @param {unknown} error */
function reason(error) {
  if (!(error instanceof ApiError)) return 'The server cannot be reached. Check your connection and try again.';
  return error.errors.map(({ code, description }) => `${code} ${description}`).join('; ') || `Status ${error.status}.`;
}
