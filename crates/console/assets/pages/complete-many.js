// Completes several pay runs in processing, or requests their completion. One file can contain the taxes and
// deductions of all of them. Each pay run is previewed before it is sent, and its warnings need a
// confirmation.
import { useState } from 'preact/hooks';
import { approvalsChanged } from '../client/approvals.js';
import { ApiError, idempotencyKey, saveText } from '../client/client.js';
import { entireRegister, workerName } from '../client/register.js';
import { needsTwoOperators } from '../client/server.js';
import { useAction } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { sum } from '../parts/amounts.js';
import { Table } from '../parts/table.js';
import { toast } from '../parts/toast.js';
import { Count, Money, periodTitle } from '../parts/values.js';
import { sendCompletion, previewOf } from './completion.js';
import { readRuns, runKey, templateOfRuns } from './completion-csv.js';
import { csvDraft, readDraft, readText } from './completion-document.js';
import { WarningLines, groups, readContext } from './completion-warnings.js';
import { Failures, Progress } from './process-many.js';
import { TotalsOfPreview } from './totals.js';

/** @typedef {import('../client/client.js').Schemas['PayRun']} PayRun */
/** @typedef {import('./completion-document.js').ReadDraft} ReadDraft */
/** @typedef {import('./completion-document.js').PlacedFault} PlacedFault */
/** @typedef {import('./completion.js').Previewed} Previewed */
/** @typedef {import('./completion-warnings.js').Group} Group */
/** @typedef {import('./process-many.js').Failure} Failure */
/** @typedef {import('./totals.js').Totals} Totals */
/**
 * A previewed pay run. It is outdated if its completion failed, because the pay run may have changed.
 *
 * @typedef {{run: PayRun, read: ReadDraft, faults: PlacedFault[], preview?: Previewed, warnings: Group[], isOutdated?: boolean}} Previewing
 */

/** Returns a number of pay runs in words. @param {number} count */
function runs(count) {
  return count === 1 ? '1 pay run' : `${count} pay runs`;
}

/** Maximum number of faults of a pay run, or of the file, that the page shows. */
const SHOWN = 20;
/** The text before the number of pay runs on the buttons, and the result. */
const [STEP, DONE] = needsTwoOperators ? ['Request completion of', 'requested'] : ['Complete', 'completed'];

/**
 * @param {PayRun} run
 * @param {import('./completion-csv.js').CsvDocument | undefined} document
 * @returns {Promise<Previewing>}
 */
async function previewRun(run, document) {
  const read = document ? csvDraft(document) : readDraft({ text: '', allowEmpty: false });
  const shown = await previewOf(pathOf(run), read).catch(rejection);
  if (shown.faults.length > 0 || !shown.preview) return { run, read, ...shown, warnings: [] };
  const known = await readContext(pathOf(run), run);
  return { run, read, ...shown, warnings: groups(shown.preview.figures, known, new Map(), run.companyId) };
}

/**
 * Returns the faults of a pay run that cannot be previewed, for example because it is completed. The other pay runs
 * still get their previews.
 *
 * @param {unknown} error
 * @returns {{faults: PlacedFault[], preview?: undefined}}
 */
function rejection(error) {
  if (error instanceof ApiError && error.status === 409) return { faults: error.errors };
  throw error;
}

/** @param {PayRun} run */
function pathOf({ companyId, payPeriodId }) {
  return { companyId, payPeriodId };
}

/** @param {{chosen: PayRun[], done: (sent: PayRun[]) => void}} props `done` gets the completed pay runs, which are no longer selected. */
export function CompleteChosen({ chosen, done }) {
  const [isOpen, open] = useState(false);
  const [completed, setCompleted] = useState(/** @type {string[]} */ ([]));
  const title = `${STEP} ${chosen.length} selected`;
  // A new selection discards the file and the previews. A completed pay run does not change the selection.
  const keys = [...new Set([...completed, ...chosen.map(runKey)])].sort();
  const remove = (/** @type {PayRun[]} */ sent) => {
    setCompleted(sent.length === chosen.length ? [] : [...completed, ...sent.map(runKey)]);
    done(sent);
  };
  return html`
    <button type="button" disabled=${chosen.length === 0} onClick=${() => open(!isOpen)} aria-expanded=${isOpen}>${title}</button>
    ${isOpen && chosen.length > 0 ? html`<${CompleteMany} key=${keys.join()} keys=${keys} chosen=${chosen} done=${remove} />` : null}
  `;
}

/**
 * @param {{keys: string[], chosen: PayRun[], done: (sent: PayRun[]) => void}} props `keys` includes the pay runs that are
 *   already completed, because the file still has their rows.
 */
function CompleteMany({ keys, chosen, done }) {
  const [file, setFile] = useState(/** @type {{name: string, text: string} | undefined} */ (undefined));
  const [faults, setFaults] = useState(/** @type {PlacedFault[]} */ ([]));
  const [previewed, setPreviewed] = useState(/** @type {Previewing[]} */ ([]));
  const [progress, setProgress] = useState(/** @type {number | undefined} */ (undefined));
  const { busy, error, run } = useAction();
  const choose = (/** @type {any} */ event) => {
    const [chosenFile] = event.target.files;
    setPreviewed([]);
    setFaults([]);
    void run(async () => setFile(chosenFile && { name: chosenFile.name, text: await readText(chosenFile) }));
    event.target.value = '';
  };
  const template = () => run(async () => {
    const registers = [];
    for (const payRun of chosen) registers.push({ run: payRun, checks: await entireRegister(pathOf(payRun)) });
    saveText(templateOfRuns(registers, workerName), 'text/csv', 'taxes.csv');
  });
  const preview = () => run(async () => {
    const read = file ? readRuns(file.text, new Set(keys)) : { faults: [], documents: new Map() };
    setFaults(read.faults);
    setPreviewed([]);
    if (read.faults.length > 0) return;
    /** @type {Previewing[]} */
    const shown = [];
    try {
      for (const [at, payRun] of chosen.entries()) {
        setProgress(at);
        shown.push(await previewRun(payRun, read.documents.get(runKey(payRun))));
      }
    } finally {
      setProgress(undefined);
    }
    setPreviewed(shown);
  });
  return html`<section class="unfolded">
    <h2>Taxes and deductions of ${runs(chosen.length)}</h2>
    <p class="hint">Choose one CSV file for all selected pay runs, with a row for each tax and each deduction of a check. Checks without rows are completed without taxes and deductions.</p>
    <div class="actions">
      <label class="field">File <input id="runs-file" type="file" accept=".csv" disabled=${busy} onChange=${choose} /></label>
      <button type="button" class="quiet" disabled=${busy} onClick=${template}>Download template</button>
      <button type="button" class="primary" disabled=${busy} onClick=${preview}>Preview all</button>
    </div>
    ${file ? html`<p class="hint">File: ${file.name}</p>` : null}
    <${Failed} error=${error} />
    ${progress === undefined ? null : html`<${Progress} label="Previewed pay runs" done=${progress} of=${chosen.length} />`}
    ${faults.length > 0 ? html`<div role="alert"><p class="failed"><strong>The file has faults.</strong> Nothing is stored.</p>
      <${Faults} faults=${faults} /></div>` : null}
    ${previewed.length > 0 ? html`<${Send} previewed=${previewed} done=${done} setPreviewed=${setPreviewed} />` : null}
  </section>`;
}

/** @param {{faults: PlacedFault[]}} props */
function Faults({ faults }) {
  const place = (/** @type {PlacedFault} */ { line, column, pointer }) =>
    line === undefined ? pointer : `Line ${line}${column ? `, ${column}` : ''}`;
  return html`<ul>${faults.slice(0, SHOWN).map((fault) => html`<li>${place(fault) ? `${place(fault)}: ` : ''}${fault.code ?? ''} ${fault.description}</li>`)}
    ${faults.length > SHOWN ? html`<li>and ${faults.length - SHOWN} more</li>` : null}</ul>`;
}

/** Returns the totals of several previews. @param {Previewing[]} previewed */
function sumOf(previewed) {
  const all = previewed.flatMap(({ preview }) => preview?.figures.totals ?? []);
  const [first, ...others] = all;
  return first && others.reduce(added, first);
}

/** @param {Totals} one @param {Totals} other @returns {Totals} */
function added(one, other) {
  const amount = (/** @type {'grossEarnings' | 'employeeTaxes' | 'deductions' | 'netPay' | 'employerTaxes' | 'employerCost'} */ name) =>
    sum(one[name] ?? '0.00', other[name] ?? '0.00');
  return {
    checks: one.checks + other.checks, workers: one.workers + other.workers, grossEarnings: amount('grossEarnings'),
    employeeTaxes: amount('employeeTaxes'), deductions: amount('deductions'), netPay: amount('netPay'),
    employerTaxes: amount('employerTaxes'), employerCost: amount('employerCost'),
  };
}

/** Returns whether the pay run has a warning that needs a confirmation. @param {Previewing} previewing */
function needsTick({ warnings }) {
  return warnings.some((group) => group.tick);
}

/** @param {{previewed: Previewing[], done: (sent: PayRun[]) => void, setPreviewed: (rest: Previewing[]) => void}} props */
function Send({ previewed, done, setPreviewed }) {
  const [ticked, setTicked] = useState(/** @type {string[]} */ ([]));
  const [isAsked, ask] = useState(false);
  const [finished, finish] = useState(/** @type {number | undefined} */ (undefined));
  const [failures, setFailures] = useState(/** @type {Failure[]} */ ([]));
  const ready = previewed.filter((it) => it.preview && it.faults.length === 0 && (!needsTick(it) || ticked.includes(runKey(it.run))));
  const toggle = (/** @type {string} */ key) =>
    setTicked((before) => (before.includes(key) ? before.filter((it) => it !== key) : [...before, key]));
  const send = async () => {
    /** @type {Failure[]} */
    const failed = [];
    for (const [at, { run, read, preview }] of ready.entries()) {
      finish(at);
      if (preview) await sendCompletion(pathOf(run), read, preview, idempotencyKey()).catch((error) => failed.push({ run, error }));
    }
    finish(undefined);
    ask(false);
    setFailures(failed);
    approvalsChanged();
    toast(needsTwoOperators
      ? `The completion of ${ready.length - failed.length} of ${runs(ready.length)} is requested.`
      : `Completed: ${ready.length - failed.length} of ${runs(ready.length)}.`);
    // A completed pay run must not be resent. A failed pay run needs a new preview, because it may have
    // changed.
    const isDone = (/** @type {Previewing} */ it) => ready.includes(it) && failed.every(({ run }) => run !== it.run);
    setPreviewed(previewed.filter((it) => !isDone(it)).map((it) => (ready.includes(it) ? { ...it, preview: undefined, isOutdated: true } : it)));
    done(previewed.filter(isDone).map(({ run }) => run));
  };
  return html`
    <${Table} label="Previews" items=${previewed} columns=${columns(ticked, toggle)} empty="" />
    <div class="actions">
      <button type="button" class="primary" disabled=${ready.length === 0 || finished !== undefined} onClick=${() => ask(true)}>
        ${`${STEP} ${runs(ready.length)}`}</button>
      ${ready.length < previewed.length
        ? html`<span class="hint">${`${previewed.length - ready.length} of ${previewed.length} pay runs have faults, warnings without a tick, or no preview.`}</span>` : null}
    </div>
    ${isAsked
      ? html`<${Dialog} title=${`${STEP} ${runs(ready.length)}?`} confirm=${needsTwoOperators ? 'Request' : 'Complete'}
          busy=${finished !== undefined} danger=${!needsTwoOperators} onConfirm=${send} onClose=${() => ask(false)}>
          <p>${needsTwoOperators
            ? 'Another operator checks the figures of each pay run and approves them, which completes the pay run.'
            : 'A completed check is never changed again. You can reverse it in a later period.'}</p>
          <${TotalsOfPreview} totals=${sumOf(ready)} />
          ${finished === undefined ? null : html`<${Progress} label="Sent pay runs" done=${finished} of=${ready.length} />`}
        <//>`
      : null}
    ${failures.length > 0 ? html`<${Failures} failures=${failures} done=${DONE} />` : null}
  `;
}

/**
 * @param {string[]} ticked
 * @param {(key: string) => void} toggle
 * @returns {import('../parts/windowed.js').Column<Previewing>[]}
 */
function columns(ticked, toggle) {
  const totals = (/** @type {Previewing} */ { preview }) => preview?.figures.totals;
  return [
    { title: 'Pay run', cell: ({ run }) => html`<a href=${to('companies', run.companyId, 'payperiods', run.payPeriodId)}>${run.legalName}, ${periodTitle(run)}</a>` },
    { title: 'Checks', number: true, cell: (it) => html`<${Count} value=${totals(it)?.checks} />` },
    { title: 'Gross', number: true, cell: (it) => html`<${Money} value=${totals(it)?.grossEarnings} />` },
    { title: 'Employee taxes', number: true, cell: (it) => html`<${Money} value=${totals(it)?.employeeTaxes} />` },
    { title: 'Net', number: true, cell: (it) => html`<${Money} value=${totals(it)?.netPay} />` },
    {
      title: 'Faults and warnings',
      cell: (it) => {
        if (it.isOutdated) return 'Not completed. Press “Preview all” again.';
        if (it.faults.length > 0) return html`<strong>Faults: ${it.faults.length}</strong><${Faults} faults=${it.faults} />`;
        const key = runKey(it.run);
        return html`${it.warnings.length > 0 ? html`<ul>${it.warnings.map((group) => html`<li>${group.title}<${WarningLines} lines=${group.lines} /></li>`)}</ul>` : 'None'}
          ${needsTick(it) ? html`<label><input type="checkbox" checked=${ticked.includes(key)} onChange=${() => toggle(key)}
            aria-label=${`I have checked the warnings of ${it.run.legalName}, ${periodTitle(it.run)}`} /> I have checked these warnings</label>` : null}`;
      },
    },
  ];
}
