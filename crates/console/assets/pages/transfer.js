// Import of companies, or of one company's rows, from a file: first a dry run, then the import. Also the
// export of one company.
import { useState } from 'preact/hooks';
import { api, failure, save } from '../client/client.js';
import { useAction } from '../api/load.js';
import { mayWrite, mayWriteInCompany } from '../client/session.js';
import { Picker } from '../parts/picker.js';
import { companies } from '../forms/references.js';
import { Failed } from '../parts/feedback.js';
import { html, isolated } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { Count, Id, Status, countText } from '../parts/values.js';
import { Spreadsheet, isSpreadsheet } from './spreadsheet.js';

/** @typedef {import('../client/client.js').Schemas['ImportedLine']} Line */

/** Maximum number of result lines on the page. The counts include all lines. */
const SHOWN = 200;

/** @type {import('../parts/windowed.js').Column<Line>[]} */
const COLUMNS = [
  { title: 'Line', number: true, cell: (it) => html`<${Count} value=${it.line} />` },
  { title: 'Company', cell: (it) => html`<${Id} value=${it.companyId} />` },
  { title: 'Result', cell: (it) => html`<${Status} value=${it.result} kind=${it.result === 'stored' || it.result === 'valid' ? 'good' : 'bad'} />` },
  { title: 'New', number: true, cell: (it) => html`<${Count} value=${it.counts?.created} />` },
  { title: 'Changed', number: true, cell: (it) => html`<${Count} value=${it.counts?.changed} />` },
  {
    title: 'Faults',
    cell: (it) => html`<ul class="plain">${(it.errors ?? []).map((error) => html`<li><strong>${error.code}</strong>
      <code>${error.pointer ?? ''}</code> ${error.description}</li>`)}</ul>`,
  },
];

/**
 * Sends a file and passes on each line of the response as it arrives.
 *
 * @param {File} file
 * @param {boolean} isDryRun
 * @param {(line: Line) => void} take
 */
async function send(file, isDryRun, take) {
  const result = await api.POST('/operator/v1/import', {
    params: { query: { dryrun: isDryRun } },
    headers: { 'Content-Type': 'application/x-ndjson' },
    // The API description types lines as text. The file is sent unchanged.
    body: /** @type {string} */ (/** @type {unknown} */ (file)),
    bodySerializer: (body) => body,
    parseAs: 'stream',
  });
  if (!result.response.ok) throw failure(result.response, result.error);
  const text = /** @type {ReadableStream<BufferSource>} */ (result.data).pipeThrough(new TextDecoderStream());
  const reader = text.getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of done ? [...lines, rest] : lines) if (line.trim() !== '') take(JSON.parse(line));
    if (done) return;
  }
}

export function Transfer() {
  return html`
    <h1>Import and export</h1>
    ${mayWriteInCompany('payroll') ? html`<${Import} importsCompanies=${mayWrite('administration')} />` : null}
    ${mayWrite('export') ? html`<${Export} />` : html`<p>Your role cannot import or export companies. An export contains full tax IDs.</p>`}
  `;
}

/** @param {{importsCompanies: boolean}} props */
function Import({ importsCompanies }) {
  // A newly selected file has not been validated, even if it is the same file.
  const [{ file, choice }, choose] = useState({ file: /** @type {File | undefined} */ (undefined), choice: 0 });
  const take = (/** @type {FileList | null | undefined} */ files) => choose({ file: files?.[0], choice: choice + 1 });
  return html`<section>
    <h2>Import</h2>
    <div class="drop" onDragOver=${(/** @type {Event} */ event) => event.preventDefault()}
      onDrop=${(/** @type {DragEvent} */ event) => { event.preventDefault(); take(event.dataTransfer?.files); }}>
      <label for="file">${importsCompanies
        ? 'A file of companies (NDJSON, one on each line), or the rows of a spreadsheet for one company (CSV)'
        : 'The rows of a spreadsheet for one company (CSV)'}</label>
      <p><input id="file" type="file" accept=${importsCompanies ? '.ndjson,.jsonl,.json,.csv' : '.csv'} onChange=${(/** @type {any} */ event) => take(event.target.files)} /></p>
      <p class="hint">${file ? `${isolated(file.name)}, ${countText(file.size)} bytes` : 'Choose a file or drag it here.'}</p>
    </div>
    ${file && isSpreadsheet(file)
      ? html`<${Spreadsheet} key=${choice} file=${file} />`
      : importsCompanies ? html`<${Companies} key=${choice} file=${file} />`
      : file ? html`<p role="alert">You can import only CSV files. A file of companies needs the role administrator and a key
          that is not restricted to companies.</p>` : null}
  </section>`;
}

/** @param {{file: File | undefined}} props */
function Companies({ file }) {
  const [lines, setLines] = useState(/** @type {Line[]} */ ([]));
  const [validated, setValidated] = useState(/** @type {'no' | 'good' | 'bad' | 'stored'} */ ('no'));
  const { busy, error, run } = useAction();
  const go = async (/** @type {boolean} */ isDryRun) => {
    if (!file) return;
    setLines([]);
    /** @type {Line[]} */
    const got = [];
    const done = await run(() => send(file, isDryRun, (line) => {
      got.push(line);
      setLines([...got]);
    }));
    const good = got.every((line) => line.result === 'valid' || line.result === 'stored');
    if (done) setValidated(good ? (isDryRun ? 'good' : 'stored') : 'bad');
  };
  const refused = lines.filter((line) => line.result !== 'valid' && line.result !== 'stored');
  const shown = [...refused, ...lines.filter((line) => !refused.includes(line))].slice(0, SHOWN);
  return html`
    <div class="actions">
      <button type="button" class="primary" disabled=${!file || busy} onClick=${() => go(true)}>Check file</button>
      <button type="button" disabled=${busy || validated !== 'good'} onClick=${() => go(false)}>Import</button>
    </div>
    <${Failed} error=${error} />
    <p role="status">${
      busy ? `${lines.length} companies so far …`
      : validated === 'good' ? `All ${lines.length} companies can be imported.`
      : validated === 'stored' ? `All ${lines.length} companies are stored.`
      : validated === 'bad' ? `${refused.length} of ${lines.length} companies have faults.` : ''
    }</p>
    ${lines.length > 0 ? html`<${Table} label="Lines of the import" items=${shown} columns=${COLUMNS} empty="" />` : null}
    ${lines.length > SHOWN ? html`<p class="hint">${SHOWN} of ${lines.length} lines, those with faults first.</p>` : null}
  `;
}

function Export() {
  const [company, setCompany] = useState('');
  const { busy, error, run } = useAction();
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const companyId = company;
    const path = `/operator/v1/export?companyid=${encodeURIComponent(companyId)}`;
    void run(() => save(path, 'application/x-ndjson', `${companyId}.ndjson`));
  };
  return html`<section>
    <h2>Export</h2>
    <p>The file contains the company with its lists, workers, pay periods and checks, in the format of an import. It contains full tax IDs.</p>
    <form class="filters" onSubmit=${submit}>
      <div class="field"><label for="export-company">Company</label>
        <${Picker} id="export-company" value=${company || undefined} source=${companies} required onChange=${(/** @type {string | undefined} */ id) => setCompany(id ?? '')} /></div>
      <button type="submit" disabled=${busy || company === ''}>Export</button>
    </form>
    <${Failed} error=${error} />
  </section>`;
}
