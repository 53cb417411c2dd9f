// Completes a pay period. The operator enters taxes and deductions, previews them, and then completes the
// period or requests the completion. The request contains exactly the previewed document and the previewed
// version of the period.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError, api, body, idempotencyKey, one } from '../client/client.js';
import { useAction } from '../api/load.js';
import { approvalsChanged } from '../client/approvals.js';
import { discardDraft, keepDraft, keptDraft } from '../client/drafts.js';
import { needsTwoOperators } from '../client/server.js';
import { Dialog } from '../parts/dialog.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { readDraft } from './completion-document.js';
import { CompletionEditor, CompletionFaults } from './completion-editor.js';
import { Figures, useNames } from './preview.js';
import { TotalsOfPreview } from './totals.js';

/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {import('./completion-document.js').Draft} Draft */
/** @typedef {import('./completion-document.js').ReadDraft} ReadDraft */
/** @typedef {import('./completion-document.js').PlacedFault} PlacedFault */
/** @typedef {{companyId: string, payPeriodId: string}} Path */
/** @typedef {import('./preview.js').Completed} Completed */
/** @typedef {{figures: Completed, tag: string}} Previewed */
/** The result of a preview, and its input. @typedef {{draft: Draft, read: ReadDraft, faults: PlacedFault[], preview?: Previewed}} Result */
/** @typedef {{draft: Draft, edit: (draft: Draft) => void, result: Result | undefined, setResult: (result: Result | undefined) => void}} Entry */

/**
 * Returns the input for a period. The page owns the input and the result, so that they survive a change of
 * the view.
 *
 * @returns {Entry}
 */
export function useEntry() {
  const [draft, edit] = useState(/** @type {Draft} */ ({ text: '', allowEmpty: false }));
  const [result, setResult] = useState(/** @type {Result | undefined} */ (undefined));
  return { draft, edit, result, setResult };
}

/** Sends the body unchanged. @param {ReadDraft} read */
function asSent(read) {
  return {
    body: /** @type {any} */ (read.body),
    bodySerializer: (/** @type {unknown} */ text) => /** @type {string} */ (text),
    headers: { 'Content-Type': 'application/json' },
  };
}

/**
 * Sends the document as a dry run.
 *
 * @param {Path} path
 * @param {ReadDraft} read
 * @returns {Promise<{faults: PlacedFault[], preview?: Previewed}>}
 */
export async function previewOf(path, read) {
  if (read.faults.length > 0) return { faults: read.faults };
  try {
    const { item, tag } = await one(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/complete', {
      params: { path, query: { dryrun: true } },
      ...asSent(read),
    }));
    return { faults: (item.faults ?? []).map(read.locate), preview: { figures: item, tag } };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return { faults: error.errors.map(read.locate) };
  }
}

/**
 * Completes the previewed version of the period with the document, or requests the completion.
 *
 * @param {Path} path
 * @param {ReadDraft} read
 * @param {Previewed} preview
 * @param {string} key
 */
export async function sendCompletion(path, read, preview, key) {
  const sent = { params: { path, header: { 'If-Match': preview.tag, 'Idempotency-Key': key } }, ...asSent(read) };
  await (needsTwoOperators
    ? body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest', sent))
    : body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/complete', sent)));
}

/** @param {{path: Path, period: Period, version: string, entry: Entry, changed: () => void}} props */
export function Completion({ path, period, version, entry, changed }) {
  const { result, setResult } = entry;
  // The input outlives the page. A later page of the same period therefore starts with this input.
  const draft = keptDraft(path) ?? entry.draft;
  const edit = (/** @type {Draft} */ changed) => {
    keepDraft(path, changed);
    entry.edit(changed);
  };
  const [rejection, reject] = useState(/** @type {unknown} */ (undefined));
  const { busy, error, run } = useAction();
  const names = useNames(path, version);
  const summary = useMemo(() => readDraft(draft), [draft]);
  const isCurrent = result?.draft === draft;
  const preview = () => run(async () => {
    const read = readDraft(draft);
    const shown = await previewOf(path, read);
    setResult({ draft, read, ...shown });
    reject(undefined);
    // The amounts above belong to another version.
    if (shown.preview && shown.preview.tag !== version) changed();
  });
  // A text that was not previewed is sent only after the operator's confirmation.
  useEffect(() => {
    if (isCurrent || (draft.text.trim() === '' && !rejection)) void preview();
  }, [version]);
  const rejected = (/** @type {unknown} */ failure) => {
    setResult(undefined);
    reject(failure);
    changed();
  };
  return html`
    <${CompletionEditor} path=${path} draft=${draft} edit=${edit} busy=${busy} preview=${preview}
      isEmpty=${period.totals?.checks === 0} />
    ${summary.format === 'none' ? null : html`<p class="hint">Read as ${summary.format}. ${summary.summary}</p>`}
    ${rejection
      ? html`<div class="failed" role="alert">
          <p><strong>The pay period has changed since the preview.</strong> Nothing was completed, and your input is kept. Preview it again.</p>
          <${Failed} error=${rejection} />
        </div>`
      : null}
    <${Failed} error=${error} />
    ${result && !isCurrent
      ? html`<p class="warned" role="status">Your input has changed since the preview. Preview it again.</p>`
      : null}
    ${result && isCurrent ? html`<${Outcome} path=${path} period=${period} result=${result} names=${names}
      changed=${changed} rejected=${rejected} />` : null}
  `;
}

/**
 * @param {{path: Path, period: Period, result: Result, names: Map<string, string>, changed: () => void,
 *   rejected: (failure: unknown) => void}} props
 */
function Outcome({ path, period, result, names, changed, rejected }) {
  const { read, faults, preview } = result;
  if (faults.length > 0 || !preview) {
    return html`<${CompletionFaults} faults=${faults} isCsv=${read.format === 'CSV'} names=${names} />`;
  }
  return html`<section>
    <h2>Preview</h2>
    <p class="fine" role="status">Ready to complete. Nothing is stored yet.</p>
    <${Figures} path=${path} period=${period} version=${preview.tag} figures=${preview.figures} names=${names} action=${(/** @type {boolean} */ isDisabled) =>
      period.status === 'PROCESSING'
        ? html`<${Complete} path=${path} read=${read} preview=${preview} disabled=${isDisabled} changed=${changed} rejected=${rejected} />`
        : html`<p class="hint">Before you can complete the pay period, press Process at the top of the page. Your input is kept.</p>`} />
  </section>`;
}

/**
 * Completes the period with the previewed document, or requests the completion.
 *
 * @param {{path: Path, read: ReadDraft, preview: Previewed, disabled: boolean, changed: () => void,
 *   rejected: (failure: unknown) => void}} props
 */
function Complete({ path, read, preview, disabled, changed, rejected }) {
  const [key, setKey] = useState('');
  const { busy, error, run, clear } = useAction();
  const confirm = async () => {
    /** @type {unknown} */
    let failure;
    const done = await run(() => sendCompletion(path, read, preview, key).catch((reason) => {
      failure = reason;
      throw reason;
    }));
    if (failure instanceof ApiError && failure.status === 412) rejected(failure);
    // Another operator may have requested the completion. The page then shows this request.
    if (failure instanceof ApiError && failure.status === 409) changed();
    if (!done) return;
    setKey('');
    // The document is not discarded, because the operator may withdraw the request and correct the document.
    if (!needsTwoOperators) discardDraft(path);
    approvalsChanged();
    changed();
  };
  const begin = () => {
    clear();
    setKey(idempotencyKey());
  };
  return html`
    <div class="actions">
      <button type="button" class="primary" disabled=${disabled} onClick=${begin}>${needsTwoOperators ? 'Request completion' : 'Complete'}</button>
    </div>
    ${key === ''
      ? null
      : html`<${Dialog} title=${needsTwoOperators ? 'Request the completion?' : 'Complete the pay period?'}
          confirm=${needsTwoOperators ? 'Request' : 'Complete'} busy=${busy} error=${error} danger=${!needsTwoOperators}
          onClose=${() => setKey('')} onConfirm=${confirm}>
          <p>${needsTwoOperators
            ? 'Another operator checks these figures and approves them, which completes the pay period.'
            : 'A completed check is never changed again. You can reverse it in a later period.'}</p>
          <${TotalsOfPreview} totals=${preview.figures.totals} />
        <//>`}
  `;
}
