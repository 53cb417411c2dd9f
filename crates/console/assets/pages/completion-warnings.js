// Warnings of a completion. The operator must confirm each important kind before the pay period can be
// completed or approved.
import { useState } from 'preact/hooks';
import { api, page } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { html } from '../parts/html.js';
import { cents } from '../parts/amounts.js';
import { Money, periodTitle } from '../parts/values.js';
import { WorkerLink } from './names.js';

/** @typedef {import('../client/client.js').Schemas['CompletedPayPeriod']} Completed */
/** @typedef {import('../client/client.js').Schemas['CheckPay']} CheckPay */
/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {import('../client/client.js').Schemas['Warning']} Warning */
/** @typedef {{companyId: string, payPeriodId: string}} Path */
/** The interval and the dates of a pay period. @typedef {Pick<Period, 'intervalCode' | 'startDate' | 'checkDate'>} Run */
/**
 * The data with which the amounts are compared.
 *
 * @typedef {{last: Period | undefined, terminated: Set<string>, isPart: boolean}} Context
 */
/** A kind of warning. `tick` is the text that the operator confirms. @typedef {{kind: string, title: any, lines: any[], tick?: string}} Group */

/**
 * A larger difference from the net of the last run needs a confirmation, because it can be a bonus run or a
 * mistake.
 */
const MAX_DIFFERENCE_PERCENT = 20n;
/** Maximum number of terminated workers that are compared. If there are more, the page says so. */
const MAX_TERMINATED = 5000;
/** Maximum number of lines for each kind. */
const SHOWN = 20;
/** The states of periods that paid the workers. @type {Period['status'][]} */
const PAID = ['COMPLETED', 'RELEASED', 'COMPLETED_BY_MEC', 'REISSUED'];
/** A day in milliseconds. */
const DAY = 24 * 60 * 60 * 1000;
/** The first day of the API in milliseconds, which rejects earlier days. */
const FIRST_DAY = Date.parse('0001-01-01');
/**
 * The time range in milliseconds for the search of the last run: a year and a quarter, for annual pay. If
 * there is no run in this range, all periods are searched.
 */
const SEARCHED = 457 * DAY;

/** Warnings of the server that need a confirmation, with its text. @type {Partial<Record<Warning['warning'], string>>} */
const TICKS = {
  PRODUCT_MISSING: 'I confirm this check date',
  WORKER_MISSING: 'I confirm that these workers get no check in this period',
  CHECK_MORE_THAN_DOUBLED: 'I confirm these amounts',
  TAX_REPEATED: 'I confirm that these taxes are entered correctly',
  CHECK_NUMBER_REPEATED: 'I confirm these check numbers',
};

/** The titles for the kinds of the server's warnings. @type {Record<Warning['warning'], string>} */
const TITLES = {
  NO_CHECKS: 'The pay period has no checks.',
  PRODUCT_MISSING: 'The company does not have the product PAYROLL on the check date.',
  WORKER_MISSING: 'Workers of the last run without a check.',
  CHECK_MORE_THAN_DOUBLED: 'Checks that are more than twice as high as the last one.',
  WORKER_WITH_SEVERAL_CHECKS: 'Workers with several checks.',
  TAX_REPEATED: 'Checks with the same tax more than once.',
  CHECK_NUMBER_REPEATED: 'Checks with the same check number.',
};

/** Shows a warning of the server with the name of its worker. @param {{companyId: string, warning: Warning}} props */
function WarningLine({ companyId, warning: { warning, workerId, description } }) {
  const link = html`<${WorkerLink} companyId=${companyId} id=${workerId} />`;
  if (!workerId) return html`${description}`;
  return warning === 'WORKER_MISSING' || warning === 'WORKER_WITH_SEVERAL_CHECKS' ? link : html`${link}: ${description}`;
}

/** @param {string | undefined} text */
function day(text) {
  return (text ?? '').slice(0, 10);
}

/** Returns an earlier day, at the earliest the first day of the API. @param {string} date @param {number} milliseconds */
function earlier(date, milliseconds) {
  return new Date(Math.max(FIRST_DAY, Date.parse(day(date)) - milliseconds)).toISOString().slice(0, 10);
}

/**
 * Returns the last pay run before a period, by the rule of the server's warnings: the paid period with the
 * same interval and the latest earlier check date. If several match, this is the last created one, which is
 * the last in the list.
 *
 * @param {string} companyId
 * @param {Run} period
 * @returns {Promise<Period | undefined>}
 */
async function lastRun(companyId, { intervalCode, startDate, checkDate }) {
  const from = earlier(startDate, SEARCHED);
  for (const range of [{ from }, {}]) {
    const { items } = await page(api.GET('/operator/v1/companies/{companyId}/payperiods', {
      params: { path: { companyId }, query: { status: PAID, ...range } },
    }));
    const before = items.filter((it) => it.intervalCode === intervalCode && day(it.checkDate) < day(checkDate));
    const [first, ...rest] = before;
    if (first) return rest.reduce((last, it) => (day(it.checkDate) < day(last.checkDate) ? last : it), first);
  }
  return undefined;
}

/**
 * Reads the last pay run, and the workers who were terminated before the period began.
 *
 * @param {{companyId: string}} company
 * @param {Run} period
 * @returns {Promise<Context>}
 */
export async function readContext({ companyId }, period) {
  const path = { companyId };
  const [last, workers] = await Promise.all([
    lastRun(companyId, period),
    page(api.GET('/operator/v1/companies/{companyId}/workers', {
      params: { path, query: { status: ['TERMINATED'], to: earlier(period.startDate, DAY), limit: MAX_TERMINATED } },
    })),
  ]);
  return {
    last,
    terminated: new Set(workers.items.map((worker) => worker.workerId)),
    isPart: workers.total > workers.items.length,
  };
}

/** @param {Path} path @param {Period} period @param {string} version */
export function useContext(path, period, version) {
  return useLoad(() => readContext(path, period), [path.companyId, path.payPeriodId, version]);
}

/**
 * Returns whether two amounts differ by more than the limit. The comparison does not round.
 *
 * @param {bigint} now
 * @param {bigint} before
 */
function differsMuch(now, before) {
  const size = (/** @type {bigint} */ value) => (value < 0n ? -value : value);
  // A last run without pay cannot be compared.
  return before !== 0n && size(now - before) * 100n > size(before) * MAX_DIFFERENCE_PERCENT;
}

/** Returns whether a check reverses another one. Its amounts are negative. @param {CheckPay} check */
export function isReversal({ grossEarnings }) {
  return grossEarnings.startsWith('-');
}

/**
 * Returns whether a preview pays checks, and none of them has a tax. Reversals do not count.
 *
 * @param {Completed} figures
 */
function lacksTaxes({ checks = [], totals }) {
  const isPositive = (/** @type {string | undefined} */ amount) => /^[0-9.]*[1-9]/.test(amount ?? '');
  return checks.some((check) => !isReversal(check))
    && !isPositive(totals?.employerTaxes) && !checks.some((check) => isPositive(check.employeeTaxes));
}

/**
 * Returns the warnings of a preview by kind.
 *
 * @param {Completed} figures
 * @param {Context | undefined} known
 * @param {Map<string, string>} names of workers by check
 * @param {string} companyId
 * @returns {Group[]}
 */
export function groups(figures, known, names, companyId) {
  /** @type {Group[]} */
  const found = [];
  const { checks = [], totals, warnings = [] } = figures;
  if (lacksTaxes(figures)) {
    found.push({
      kind: 'taxes', title: html`<strong>No check has taxes.</strong> Net pay would be gross pay less deductions.`,
      lines: [], tick: 'I confirm that the checks need no taxes',
    });
  }
  const last = known?.last;
  if (checks.length > 0 && last?.totals && differsMuch(cents(totals?.netPay ?? '0.00'), cents(last.totals.netPay ?? '0.00'))) {
    found.push({
      kind: 'net', lines: [], tick: 'I confirm the net pay',
      title: html`<strong>Net pay differs from the last run by more than ${String(MAX_DIFFERENCE_PERCENT)} percent.</strong>${' '}
        It is <${Money} value=${totals?.netPay} />. In ${periodTitle(last)} it was <${Money} value=${last.totals.netPay} />.`,
    });
  }
  const terminated = checks.filter((check) => known?.terminated.has(check.workerId));
  if (terminated.length > 0) {
    found.push({
      kind: 'terminated', tick: 'I confirm the checks of terminated workers',
      title: html`<strong>Checks of terminated workers.</strong> These workers were terminated before the period began.`,
      lines: terminated.map((check) => names.get(check.paycheckId) ?? html`<${WorkerLink} companyId=${companyId} id=${check.workerId} />`),
    });
  }
  for (const kind of new Set(warnings.map((it) => it.warning))) {
    found.push({
      kind, title: html`<strong>${TITLES[kind]}</strong>`, tick: TICKS[kind],
      lines: warnings.filter((it) => it.warning === kind).map((it) => html`<${WarningLine} companyId=${companyId} warning=${it} />`),
    });
  }
  return found;
}

/**
 * Returns the confirmations for the amounts on the page, and whether all required confirmations are set.
 *
 * @param {Completed} figures
 * @param {Context | undefined} known
 * @param {Map<string, string>} names
 * @param {string} companyId
 */
export function useWarnings(figures, known, names, companyId) {
  // A confirmation is valid only for the amounts with which it was shown.
  const [ticked, setTicked] = useState({ figures, kinds: /** @type {string[]} */ ([]) });
  const kinds = ticked.figures === figures ? ticked.kinds : [];
  const found = groups(figures, known, names, companyId);
  const toggle = (/** @type {string} */ kind) =>
    setTicked({ figures, kinds: kinds.includes(kind) ? kinds.filter((it) => it !== kind) : [...kinds, kind] });
  return { found, kinds, toggle, isOpen: found.some((group) => group.tick && !kinds.includes(group.kind)) };
}

/** Lists the workers and checks of a kind of warnings, up to a limit. @param {{lines: any[]}} props */
export function WarningLines({ lines }) {
  if (lines.length === 0) return null;
  return html`<ul>${lines.slice(0, SHOWN).map((line) => html`<li>${line}</li>`)}</ul>
    ${lines.length > SHOWN ? html`<p class="hint">and ${lines.length - SHOWN} more</p>` : null}`;
}

/**
 * @param {{state: ReturnType<typeof useWarnings>, leftOut: number, isPart: boolean}} props `leftOut` is the number of
 *   warnings that the server counted but did not list.
 */
export function Warnings({ state: { found, kinds, toggle, isOpen }, leftOut, isPart }) {
  return html`
    ${found.map((group) => html`<div class="warned" key=${group.kind}>
      <p>${group.title}</p>
      <${WarningLines} lines=${group.lines} />
      ${group.tick ? html`<p><label><input type="checkbox" checked=${kinds.includes(group.kind)} onChange=${() => toggle(group.kind)} /> ${group.tick}</label></p>` : null}
    </div>`)}
    ${leftOut > 0 ? html`<p class="hint">There are ${leftOut} more warnings, which are not listed.</p>` : null}
    ${isPart ? html`<p class="hint">Only the first ${MAX_TERMINATED} terminated workers were compared.</p>` : null}
    ${isOpen ? html`<p class="hint">Check each warning and tick it to continue.</p>` : null}
  `;
}
