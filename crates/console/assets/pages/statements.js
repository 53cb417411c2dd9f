// The pay statements of a processed pay period, for all checks or for one check. Each statement is printed on
// a separate sheet.
import { useState } from 'preact/hooks';
import { api, one, saveBlob } from '../client/client.js';
import { entireRegister, registerPage, workerName } from '../client/register.js';
import { useAction, useLoad } from '../api/load.js';
import { cents, sum } from '../parts/amounts.js';
import { Empty, Failed, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Facts } from '../parts/table.js';
import { Count, Day, Id, Money, Quantity, periodTitle } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['RegisterCheck']} Check */
/** @typedef {import('../client/client.js').Schemas['CheckLine']} Line */
/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {{companyId: string, payPeriodId: string}} Path */
/** @typedef {{company: string, period: Period, checks: Check[], total: number}} Read */

/** Number of statements on the page, which a browser prints within seconds. */
const SHEETS = 200;

/**
 * @param {{companyId: string, payPeriodId: string, paycheckId?: string}} props `paycheckId` selects a single statement
 */
export function Statements({ companyId, payPeriodId, paycheckId }) {
  const path = { companyId, payPeriodId };
  const [offset, setOffset] = useState(0);
  const read = useLoad(async () => {
    const [company, period, checks] = await Promise.all([
      one(api.GET('/operator/v1/companies/{companyId}', { params: { path: { companyId } } })),
      one(api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}', { params: { path } })),
      paycheckId === undefined ? registerPage(path, offset, SHEETS) : checkOf(path, paycheckId),
    ]);
    return { company: company.item.legalName, period: period.item, checks: checks.items, total: checks.total };
  }, [companyId, payPeriodId, paycheckId, offset]);
  return html`
    <p class="above unprinted"><a href=${to('companies', companyId, 'payperiods', payPeriodId)}>Back to the pay period</a></p>
    <h1 class="unprinted">${paycheckId === undefined ? 'Pay statements' : 'Pay statement'}</h1>
    <${Loaded} of=${read} what="the statements">
      ${(/** @type {Read} */ { company, period, checks, total }) => {
        const processed = checks.filter((check) => check.final);
        if (processed.length === 0) {
          return html`<${Empty} title="There are no statements."><p class="hint">Statements exist for checks of completed pay periods.</p><//>`;
        }
        return html`
          <div class="actions unprinted">
            <button type="button" class="primary" onClick=${() => window.print()}>Print</button>
            ${paycheckId === undefined ? html`<${DownloadAll} path=${path} company=${company} period=${period} />` : null}
            ${total > SHEETS ? html`<${Turn} offset=${offset} total=${total} turn=${setOffset} />` : null}
          </div>
          ${processed.map((check) => html`<${Statement} key=${check.paycheckId} company=${company} period=${period} check=${check} />`)}`;
      }}
    <//>
  `;
}

/**
 * Downloads the statements of all checks as a ZIP archive with an HTML file for each.
 *
 * @param {{path: Path, company: string, period: Period}} props
 */
function DownloadAll({ path, company, period }) {
  const { busy, error, run } = useAction();
  const download = () => run(async () => {
    const { statementsZip } = await import('./statement-files.js');
    const checks = (await entireRegister(path)).filter((check) => check.final);
    const pages = checks.map((check) => ({ check, page: html`<${Statement} company=${company} period=${period} check=${check} />` }));
    saveBlob(await statementsZip(pages), `statements-${path.payPeriodId}.zip`);
  });
  return html`<button type="button" disabled=${busy} onClick=${download}>${busy ? 'Preparing …' : 'Download all as ZIP'}</button>
    <${Failed} error=${error} />`;
}

/** Moves to the previous or next statements. @param {{offset: number, total: number, turn: (offset: number) => void}} props */
function Turn({ offset, total, turn }) {
  const last = Math.min(offset + SHEETS, total);
  return html`
    <span>Statements <${Count} value=${offset + 1} /> to <${Count} value=${last} /> of <${Count} value=${total} /></span>
    <button type="button" disabled=${offset === 0} onClick=${() => turn(offset - SHEETS)}>Earlier ones</button>
    <button type="button" disabled=${last === total} onClick=${() => turn(offset + SHEETS)}>Later ones</button>`;
}

/**
 * Returns one check of the register. The register has no path for a single check.
 *
 * @param {Path} path
 * @param {string} paycheckId
 */
async function checkOf(path, paycheckId) {
  for (let offset = 0; ; offset += SHEETS) {
    const { items, total } = await registerPage(path, offset, SHEETS);
    const found = items.filter((check) => check.paycheckId === paycheckId);
    if (found.length > 0 || items.length === 0 || offset + items.length >= total) return { items: found, total: found.length };
  }
}

/** Returns the sum of the amounts. @param {{amount?: string}[]} amounts */
function totalOf(amounts) {
  return amounts.reduce((all, { amount }) => sum(all, amount ?? '0.00'), '0.00');
}

/**
 * A statement with the amounts of the API: net pay is gross minus the lines that are earned and not paid out,
 * the employee's taxes and the deductions.
 *
 * @param {{company: string, period: Period, check: Check}} props
 */
function Statement({ company, period, check }) {
  const taxes = (check.taxes ?? []).filter((tax) => tax.paidBy === 'EMPLOYEE_WITHHOLDING');
  const lines = [...(check.earnings ?? []), ...(check.deductions ?? []), ...(check.informational ?? [])];
  const notPaidOut = totalOf(lines.filter((line) => line.effectOnPay === 'ADDITION_WITH_IN_OUT'));
  return html`<article class="statement" aria-label=${`Pay statement of ${workerName(check)}`}>
    <div class="title"><h2>${company}</h2><span>Pay statement</span></div>
    <${Facts} pairs=${[
      ['Worker', html`${workerName(check)}${check.employeeId ? html` <${Id} value=${check.employeeId} />` : null}`],
      ['Pay period', periodTitle(period)],
      ['From', html`<${Day} value=${period.startDate} />`],
      ['To', html`<${Day} value=${period.endDate} />`],
      ['Check date', html`<${Day} value=${check.checkDate} />`],
      ['Check', html`<${Id} value=${check.checkNumber ?? check.paycheckId} />`],
    ]} />
    ${check.reversalOf ? html`<p>This check reverses check <${Id} value=${check.reversalOf} />.</p>` : null}
    <${Lines} title="Earnings" of=${check.paycheckId} lines=${check.earnings ?? []} />
    <${Amounts} title="Taxes" amounts=${taxes} />
    <${Lines} title="Deductions" of=${check.paycheckId} lines=${check.deductions ?? []} />
    <${Lines} title="For information" of=${check.paycheckId} lines=${check.informational ?? []} />
    <${Facts} pairs=${[
      ['Gross', html`<${Money} value=${check.grossEarnings} />`],
      ...(cents(notPaidOut) === 0n ? [] : [['Earned, not paid out', html`<${Money} value=${notPaidOut} />`]]),
      ['Taxes', html`<${Money} value=${totalOf(taxes)} />`],
      ['Deductions', html`<${Money} value=${totalOf(lines.filter((line) => line.effectOnPay === 'REDUCTION'))} />`],
      ['Net pay', html`<strong><${Money} value=${check.netPay} /></strong>`],
    ]} />
  </article>`;
}

/** @param {{title: string, of: string, lines: Line[]}} props of which check */
function Lines({ title, of, lines }) {
  if (lines.length === 0) return null;
  return html`<div class="scrolled" tabindex="0" role="region" aria-label=${`${title} of check ${of}`}>
    <table>
    <caption>${title}</caption>
    <thead><tr><th scope="col">Component</th><th scope="col" class="number">Hours or units</th>
      <th scope="col" class="number">Rate</th><th scope="col" class="number">Amount</th></tr></thead>
    <tbody>${lines.map((line) => html`<tr><td>${line.name}</td><td class="number"><${Quantity} value=${line.hours ?? line.units} /></td>
      <td class="number"><${Money} value=${line.rate} /></td><td class="number"><${Money} value=${line.amount} /></td></tr>`)}</tbody>
  </table></div>`;
}

/** @param {{title: string, amounts: {name: string, amount: string}[]}} props */
function Amounts({ title, amounts }) {
  if (amounts.length === 0) return null;
  return html`<table>
    <caption>${title}</caption>
    <thead><tr><th scope="col">Name</th><th scope="col" class="number">Amount</th></tr></thead>
    <tbody>${amounts.map(({ name, amount }) => html`<tr><td>${name}</td>
      <td class="number"><${Money} value=${amount} /></td></tr>`)}</tbody>
  </table>`;
}
