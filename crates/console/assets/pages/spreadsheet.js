// Imports rows of a spreadsheet for one company from a CSV file. A dry run shows each fault at its line and
// column. The import then stores all rows or no row.
import { useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, api, idempotencyKey, one } from '../client/client.js';
import { useAction } from '../api/load.js';
import { Picker } from '../parts/picker.js';
import { companies, openPeriods } from '../forms/references.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Table } from '../parts/table.js';
import { Count } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['ChangeCounts']} Counts */
/** @typedef {import('../api/http.js').Fault} Fault */
/** @typedef {'workers' | 'rates' | 'checks'} Kind */
/** @typedef {{item: Counts, isRepeated: boolean}} Stored */
/** The result of a request. It belongs only to the selection that was sent. @typedef {{selection: string, isDryRun: boolean, stored?: Stored, error?: unknown}} Result */

/** The kinds of rows and their names. @type {[Kind, string][]} */
const KINDS = [['workers', 'workers'], ['rates', 'pay rates'], ['checks', 'lines of checks']];

/** Returns whether a file contains spreadsheet rows. @param {File | undefined} file */
export function isSpreadsheet(file) {
  return file !== undefined && /\.csv$/i.test(file.name);
}

/** Returns the line and the column for a pointer such as /3/payAmount. @param {Fault} fault */
function place({ pointer }) {
  const [, line, column] = (pointer ?? '').split('/');
  return { line: Number(line) || undefined, column: column?.replaceAll('~1', '/').replaceAll('~0', '~') };
}

/** @type {import('../parts/windowed.js').Column<Fault>[]} */
const FAULTS = [
  { title: 'Line', number: true, cell: (fault) => html`<${Count} value=${place(fault).line} />` },
  { title: 'Column', cell: (fault) => place(fault).column ?? '–' },
  { title: 'Fault', cell: (fault) => html`<strong>${fault.code}</strong> ${fault.description}` },
];

/** Returns the kind of a file's rows by its name, like the command line. @param {string} name @returns {Kind} */
function kindOf(name) {
  const stem = name.replace(/\.csv$/i, '').toLowerCase();
  return KINDS.find(([kind]) => kind === stem)?.[0] ?? 'workers';
}

/**
 * Sends the file to the server.
 *
 * @param {{file: File, kind: Kind, companyId: string, payPeriodId: string, key: string}} rows
 * @param {boolean} isDryRun
 * @returns {Promise<Stored>}
 */
async function send({ file, kind, companyId, payPeriodId, key }, isDryRun) {
  const sent = {
    // The API description types rows as text. The file is sent unchanged.
    body: /** @type {string} */ (/** @type {unknown} */ (file)),
    bodySerializer: (/** @type {unknown} */ it) => /** @type {BodyInit} */ (it),
    headers: { 'Content-Type': 'text/csv' },
  };
  if (kind === 'checks') {
    const path = { companyId, payPeriodId };
    const header = isDryRun ? {} : { 'Idempotency-Key': key };
    const params = { path, query: { dryrun: isDryRun }, header };
    return one(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/checks', { ...sent, params }));
  }
  const params = { path: { companyId }, query: { dryrun: isDryRun, rows: kind } };
  return one(api.POST('/operator/v1/companies/{companyId}/workerchanges', { ...sent, params }));
}

/** @param {{file: File}} props */
export function Spreadsheet({ file }) {
  const [kind, setKind] = useState(kindOf(file.name));
  const [company, setCompany] = useState('');
  const [period, setPeriod] = useState('');
  const [result, setResult] = useState(/** @type {Result | undefined} */ (undefined));
  const [isStoring, setStoring] = useState(false);
  const { busy, run } = useAction();
  const isOfPeriod = kind === 'checks';
  const selection = JSON.stringify([kind, company, period]);
  // The selection may have changed since the request was sent. A late response does not belong to the new one.
  const { isDryRun: isChecked, stored, error } = (result?.selection === selection ? result : undefined) ?? { isDryRun: false };
  // If the response to an import is lost, another import of the same file must not store its checks again.
  const keys = useRef(/** @type {Map<string, string>} */ (new Map()));
  const choose = (/** @type {(value: any) => void} */ set) => (/** @type {string | undefined} */ value) => {
    set(value ?? '');
    setResult(undefined);
  };
  const periods = useMemo(() => (company ? openPeriods(company) : undefined), [company]);
  const go = async (/** @type {boolean} */ isDryRun) => {
    const key = keys.current.get(selection) ?? idempotencyKey();
    keys.current.set(selection, key);
    const sent = { selection, isDryRun };
    setResult(undefined);
    setStoring(!isDryRun);
    await run(() => send({ file, kind, companyId: company, payPeriodId: period, key }, isDryRun)
      .then((response) => setResult({ ...sent, stored: response }), (failure) => setResult({ ...sent, error: failure })));
    setStoring(false);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void go(true);
  };
  const faults = error instanceof ApiError && error.errors.some((it) => it.pointer !== undefined) ? error.errors : [];
  const counts = stored?.item;
  const what = counts && (isOfPeriod
    ? `Checks: ${counts.created}.`
    : `Workers: ${counts.created} new, ${counts.changed} changed, ${counts.unchanged} unchanged.`);
  return html`
    <form class="filters" onSubmit=${submit}>
      <label inert=${isStoring}>Rows are
        <select onChange=${(/** @type {any} */ event) => choose(setKind)(event.target.value)}>
          ${KINDS.map(([value, title]) => html`<option value=${value} selected=${value === kind}>${title}</option>`)}
        </select>
      </label>
      <div class="field" inert=${isStoring}><label for="into-company">Into company</label>
        <${Picker} id="into-company" value=${company || undefined} source=${companies} required onChange=${choose(setCompany)} /></div>
      ${isOfPeriod && periods ? html`<div class="field" inert=${isStoring}><label for="into-period">Pay period</label>
        <${Picker} key=${company} id="into-period" value=${period || undefined} source=${periods} required onChange=${choose(setPeriod)} /></div>` : null}
      <button type="submit" class="primary" disabled=${busy || company === '' || (isOfPeriod && period === '')}>Check file</button>
      <button type="button" disabled=${busy || !counts || !isChecked} onClick=${() => go(false)}>Import</button>
    </form>
    ${faults.length > 0
      ? html`<p role="alert">Nothing is stored. Faults: ${faults.length}.</p>
        <${Table} label="Faults of the file" items=${faults} columns=${FAULTS} empty="" />`
      : html`<${Failed} error=${error} />`}
    <p role="status">${
      !counts ? '' : isChecked ? `The file has no faults. Nothing is stored yet. ${what}`
        : stored.isRepeated ? `The file was imported before. Nothing new is stored. To import it again, choose the file again.`
          : `All rows are stored. ${what}`
    } ${counts && !isChecked && isOfPeriod
      ? html`<a href=${to('companies', company, 'payperiods', period)}>Open the pay period</a>` : null}</p>
  `;
}
