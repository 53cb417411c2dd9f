// The amounts of a completion before it is stored. They belong to a document from the editor or to a pending
// completion request that another operator approves.
import { api, one } from '../client/client.js';
import { registerPage, registerPages, workerName } from '../client/register.js';
import { useLoad } from '../api/load.js';
import { Failed, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { difference, sum } from '../parts/amounts.js';
import { Count, Id, Money, periodTitle } from '../parts/values.js';
import { Warnings, isReversal, useContext, useWarnings } from './completion-warnings.js';
import { CompletionFaults } from './completion-editor.js';
import { TotalsOfPreview } from './totals.js';
import { Approve } from './two-operators.js';

/** @typedef {import('../client/client.js').Schemas['CompletedPayPeriod']} Completed */
/** @typedef {import('../client/client.js').Schemas['CheckPay']} CheckPay */
/** @typedef {import('../client/client.js').Schemas['PayPeriod']} Period */
/** @typedef {{companyId: string, payPeriodId: string}} Path */
/** @typedef {import('./two-operators.js').Pending} Pending */

/** Maximum number of checks that a preview shows. The register shows all checks. */
const SHOWN = 200;

/**
 * Returns the names of the workers of the first checks, by check.
 *
 * @param {Path} path
 * @param {string} version of the period
 * @returns {Map<string, string>}
 */
export function useNames(path, version) {
  const names = useLoad(async () => {
    const { items } = await registerPage(path, 0, SHOWN);
    return new Map(items.map((check) => [check.paycheckId, workerName(check)]));
  }, [path.companyId, path.payPeriodId, version]);
  return names.value ?? new Map();
}

/**
 * Returns whether a worker has no other check. The sum of several checks is not compared.
 *
 * @param {CheckPay[]} checks
 * @param {CheckPay} check
 */
function isOnly(checks, check) {
  return !isReversal(check) && checks.every((it) => it === check || it.workerId !== check.workerId || isReversal(it));
}

/**
 * Returns the net of each worker in a completed run: the sum of all checks of the worker that are no
 * reversals.
 *
 * @param {Path} path
 * @returns {Promise<Map<string, string>>}
 */
async function lastNets(path) {
  /** @type {Map<string, string>} */
  const nets = new Map();
  for await (const checks of registerPages(path)) {
    for (const { workerId, netPay, reversalOf } of checks) {
      if (netPay !== undefined && !reversalOf) nets.set(workerId, sum(netPay, nets.get(workerId) ?? '0.00'));
    }
  }
  return nets;
}

/**
 * Shows the amounts of a preview without faults. The action that stores them is between the totals and the
 * checks.
 *
 * @param {{path: Path, period: Period, version: string, figures: Completed, names: Map<string, string>,
 *   action: (isDisabled: boolean) => any}} props
 */
export function Figures({ path, period, version, figures, names, action }) {
  const known = useContext(path, period, version);
  const warnings = useWarnings(figures, known.value, names, path.companyId);
  const { totals, checks = [], warningsLeftOut = 0 } = figures;
  const last = known.value?.last;
  const before = useLoad(async () => (last ? lastNets({ companyId: path.companyId, payPeriodId: last.payPeriodId }) : new Map()), [last?.payPeriodId]);
  // The changes are unknown until the last run is loaded.
  const nets = (before.loading ? undefined : before.value) ?? new Map();
  /** @type {import('../parts/windowed.js').Column<CheckPay>[]} */
  const columns = [
    { title: 'Worker', cell: (check) => names.get(check.paycheckId) ?? html`<${Id} value=${check.workerId} />` },
    { title: 'Check', cell: (check) => html`<${Id} value=${check.paycheckId} />` },
    { title: 'Gross', number: true, cell: (check) => html`<${Money} value=${check.grossEarnings} />` },
    { title: 'Employee taxes', number: true, cell: (check) => html`<${Money} value=${check.employeeTaxes} />` },
    { title: 'Deductions', number: true, cell: (check) => html`<${Money} value=${check.deductions} />` },
    { title: 'Net', number: true, cell: (check) => html`<${Money} value=${check.netPay} />` },
    ...(last ? [{
      title: 'Change since last run', number: true,
      cell: (/** @type {CheckPay} */ check) => html`<${Money} value=${isOnly(checks, check) ? difference(check.netPay, nets.get(check.workerId)) : undefined} />`,
    }] : []),
  ];
  return html`
    <${TotalsOfPreview} totals=${totals} />
    ${last ? html`<p class="hint">The last run, ${periodTitle(last)}: <${Count} value=${last.totals?.checks} /> ${last.totals?.checks === 1 ? 'check' : 'checks'},
      gross <${Money} value=${last.totals?.grossEarnings} />, net <${Money} value=${last.totals?.netPay} />.</p>` : null}
    <${Failed} error=${known.error ?? before.error} />
    <${Warnings} state=${warnings} leftOut=${warningsLeftOut} isPart=${known.value?.isPart ?? false} />
    ${action(warnings.isOpen || known.value === undefined)}
    <${Table} label="Pay by check" items=${checks.slice(0, SHOWN)} columns=${columns} empty="The pay period has no checks." />
    ${checks.length > SHOWN ? html`<p class="hint">The first ${SHOWN} of ${checks.length} checks.</p>` : null}
  `;
}

/**
 * Shows the amounts of a pending request, which its approval stores.
 *
 * @param {{path: Path, period: Period, version: string, pending: Pending, changed: () => void,
 *   rejected: (failure: unknown) => void}} props
 */
export function ApprovalPreview({ path, period, version, pending, changed, rejected }) {
  const names = useNames(path, version);
  const preview = useLoad(() => one(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest/approve', {
    params: { path, query: { dryrun: true }, header: { 'If-Match': pending.tag } },
  })), [path.companyId, path.payPeriodId, version, pending.tag]);
  return html`<section>
    <h2>Approval preview</h2>
    <p class="hint">These are the figures that <strong>${pending.item.requestedBy.name}</strong> requested. Your approval completes the pay period with exactly these figures.</p>
    <${Loaded} of=${preview} what="the preview">
      ${(/** @type {{item: Completed}} */ { item }) => (item.faults ?? []).length > 0
        ? html`<${CompletionFaults} faults=${item.faults} isCsv=${false} names=${names} />`
        : html`<${Figures} path=${path} period=${period} version=${version} figures=${item} names=${names}
            action=${(/** @type {boolean} */ isDisabled) => html`<${Approve} path=${path} request=${pending} totals=${item.totals}
              disabled=${isDisabled} changed=${changed} rejected=${rejected} />`} />`}
    <//>
  </section>`;
}
