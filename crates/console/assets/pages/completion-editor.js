// The editor for taxes and deductions of a pay period. The input is a file or a text, and faults appear at
// their positions.
import { useState } from 'preact/hooks';
import { saveText } from '../client/client.js';
import { entireRegister, workerName } from '../client/register.js';
import { useAction } from '../api/load.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { Count, Id } from '../parts/values.js';
import { templateCsv } from './completion-csv.js';
import { readText } from './completion-document.js';

/** @typedef {import('./completion-document.js').Draft} Draft */
/** @typedef {import('./completion-document.js').PlacedFault} PlacedFault */
/** @typedef {import('../parts/windowed.js').Column<PlacedFault>} Column */
/** @typedef {{companyId: string, payPeriodId: string}} Path */

/** Maximum number of faults that the editor shows. */
const SHOWN = 200;

/**
 * @param {{path: Path, draft: Draft, edit: (draft: Draft) => void, busy: boolean, isEmpty: boolean, preview: () => void}} props
 *   `isEmpty` is true if the period has no checks.
 */
export function CompletionEditor({ path, draft, edit, busy, isEmpty, preview }) {
  const [problem, setProblem] = useState('');
  const { busy: saving, error, run } = useAction();
  const upload = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    try {
      edit({ ...draft, text: await readText(file) });
      setProblem('');
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
  };
  const choose = (/** @type {any} */ event) => {
    void upload(event.target.files[0]);
    // Without this reset, the browser ignores a second selection of the same file after a correction.
    event.target.value = '';
  };
  const download = () => run(async () => {
    saveText(templateCsv(await entireRegister(path), workerName), 'text/csv', `taxes-${path.payPeriodId}.csv`);
  });
  return html`<section>
    <h2>Taxes and deductions</h2>
    <p class="hint">Choose a file or paste its text: CSV with a row for each tax and each deduction of a check, or JSON in the format of the API. Checks without rows are completed without taxes and deductions.</p>
    <div class="actions">
      <label class="field">File <input id="completion-file" type="file" accept=".csv,.json" onChange=${choose} /></label>
      <button type="button" class="quiet" disabled=${saving} onClick=${download}>Download template</button>
    </div>
    <${Failed} error=${error} />
    <label for="completion-text">Text</label>
    <textarea id="completion-text" spellcheck=${false} value=${draft.text} aria-describedby="completion-problem"
      onInput=${(/** @type {any} */ event) => edit({ ...draft, text: event.target.value })}></textarea>
    <p id="completion-problem" role="alert">${problem}</p>
    ${isEmpty && draft.text.trim() === ''
      ? html`<p><label><input type="checkbox" checked=${draft.allowEmpty}
          onChange=${(/** @type {any} */ event) => edit({ ...draft, allowEmpty: event.target.checked })} /> No worker is paid in this period</label></p>`
      : null}
    <div class="actions"><button type="button" class="primary" disabled=${busy} onClick=${preview}>Preview</button></div>
  </section>`;
}

/** @param {{faults: PlacedFault[], isCsv: boolean, names: Map<string, string>}} props names of workers by check */
export function CompletionFaults({ faults, isCsv, names }) {
  /** @type {Column[]} */
  const places = isCsv
    ? [
        { title: 'Line', number: true, cell: (fault) => html`<${Count} value=${fault.line} />` },
        { title: 'Column', cell: (fault) => fault.column ?? '–' },
      ]
    : [{ title: 'Place', cell: (fault) => html`<code>${fault.pointer || '–'}</code>` }];
  /** @type {Column[]} */
  const columns = [
    ...places,
    { title: 'Check', cell: ({ paycheckId }) => (paycheckId ? html`${names.get(paycheckId)} <${Id} value=${paycheckId} />` : '–') },
    { title: 'Fault', cell: (fault) => html`<strong>${fault.code}</strong> ${fault.description}` },
  ];
  return html`<div role="alert">
    <p class="failed"><strong>The pay period cannot be completed with this data.</strong> Nothing is stored. Faults: ${faults.length}. Correct the data and preview it again.</p>
    <${Table} label="Faults of the completion" items=${faults.slice(0, SHOWN)} columns=${columns} empty="" />
    ${faults.length > SHOWN ? html`<p class="hint">The first ${SHOWN} of ${faults.length} faults.</p>` : null}
  </div>`;
}
