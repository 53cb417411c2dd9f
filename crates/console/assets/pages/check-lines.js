// The lines and taxes of a check. The operator can remove the check from an open pay period, and reverse it
// in a completed one.
import { useMemo, useState } from 'preact/hooks';
import { api, body, idempotencyKey, one } from '../client/client.js';
import { useAction } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { openPeriods } from '../forms/references.js';
import { Dialog } from '../parts/dialog.js';
import { html } from '../parts/html.js';
import { Picker } from '../parts/picker.js';
import { to } from '../parts/router.js';
import { Table } from '../parts/table.js';
import { toast } from '../parts/toast.js';
import { Id, Money, Quantity, plain } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['RegisterCheck']} Check */
/** @typedef {import('../client/client.js').Schemas['CheckLine']} Line */
/** @typedef {import('../client/client.js').Schemas['CheckTax']} Tax */
/** @typedef {{companyId: string, payPeriodId: string}} Path */

/** @type {import('../parts/windowed.js').Column<Line>[]} */
const LINES = [
  { title: 'Line', cell: (line) => line.name },
  { title: 'Effect', cell: (line) => plain(line.effectOnPay) },
  { title: 'Hours', number: true, cell: (line) => html`<${Quantity} value=${line.hours ?? line.units} />` },
  { title: 'Rate', number: true, cell: (line) => html`<${Money} value=${line.rate} />` },
  { title: 'Amount', number: true, cell: (line) => html`<${Money} value=${line.amount} />` },
];

/** @type {import('../parts/windowed.js').Column<Tax>[]} */
const TAXES = [
  { title: 'Tax', cell: (tax) => tax.name },
  { title: 'Paid by', cell: (tax) => plain(tax.paidBy) },
  { title: 'Amount', number: true, cell: (tax) => html`<${Money} value=${tax.amount} />` },
];

/**
 * @param {{check: Check, path: Path, version: string | undefined, removed: () => void}} props `version` is the version of
 *   the pay period while it is open.
 */
export function CheckLines({ check, path, version, removed }) {
  const lines = /** @type {Line[]} */ ([
    ...(check.earnings ?? []),
    ...(check.deductions ?? []),
    ...(check.informational ?? []),
  ]);
  return html`
    <h3>Check <${Id} value=${check.paycheckId} /></h3>
    <${Table} label="Lines of the check" items=${lines} columns=${LINES} empty="The check has no lines." />
    <${Table} label="Taxes of the check" items=${check.taxes ?? []} columns=${TAXES} empty=${check.final ? 'The check has no taxes.' : 'Taxes are entered when the pay period is completed.'} />
    ${check.final
      ? html`<p><a href=${to('companies', path.companyId, 'payperiods', path.payPeriodId, 'statements', check.paycheckId)}>Pay statement</a></p>`
      : null}
    ${mayWrite('payroll') && check.final && !check.reversalOf
      ? html`<${Reverse} companyId=${path.companyId} paycheckId=${check.paycheckId} removed=${removed} />`
      : null}
    ${mayWrite('payroll') && version !== undefined
      ? html`<${Remove} path=${{ ...path, paycheckId: check.paycheckId }} version=${version} removed=${removed} />`
      : null}
  `;
}

/** @param {{path: Path & {paycheckId: string}, version: string, removed: () => void}} props */
function Remove({ path, version, removed }) {
  const [asked, ask] = useState(false);
  const { busy, error, run, clear } = useAction();
  const remove = async () => {
    const params = { path, header: { 'If-Match': version } };
    const whenStale = () => {
      toast('The pay period has changed. Review the check, and delete it again.');
      removed();
    };
    const done = await run(
      () => body(api.DELETE('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/checks/{paycheckId}', { params })),
      whenStale,
    );
    if (!done) return;
    ask(false);
    toast('The check is deleted.');
    removed();
  };
  const begin = () => {
    clear();
    ask(true);
  };
  return html`
    <p><button type="button" onClick=${begin}>Delete the check</button></p>
    ${asked
      ? html`<${Dialog} title="Delete the check?" confirm="Delete" busy=${busy} error=${error} danger
          onConfirm=${remove} onClose=${() => ask(false)}>
          <p>The check is deleted from the pay period, and its worker is not paid by it. You cannot undo this.</p>
        <//>`
      : null}
  `;
}

/** @param {{companyId: string, paycheckId: string, removed: () => void}} props */
function Reverse({ companyId, paycheckId, removed }) {
  const [asked, ask] = useState('');
  const [into, setInto] = useState(/** @type {string | undefined} */ (undefined));
  const { busy, error, run, clear } = useAction();
  const periods = useMemo(() => openPeriods(companyId), [companyId]);
  const reverse = async () => {
    const path = { companyId, payPeriodId: into ?? '' };
    const done = await run(async () => {
      const { tag } = await one(api.GET('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}', { params: { path } }));
      await body(api.POST('/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/reversals', {
        params: { path, header: { 'If-Match': tag, 'Idempotency-Key': asked } },
        body: { paycheckId },
      }));
    });
    if (!done) return;
    ask('');
    toast(`The check is reversed by a new check in the pay period ${await periods.nameOf(path.payPeriodId) ?? into}.`);
    removed();
  };
  const begin = () => {
    clear();
    setInto(undefined);
    ask(idempotencyKey());
  };
  return html`
    <p><button type="button" onClick=${begin}>Reverse the check</button></p>
    ${asked === ''
      ? null
      : html`<${Dialog} title="Reverse the check?" confirm="Reverse" busy=${busy} error=${error}
          disabled=${into === undefined} onConfirm=${reverse} onClose=${() => ask('')}>
          <p>Adds a check with the negative amounts of this one to an open pay period. Both checks then add up to zero. This check does not change.</p>
          <div class="field"><label for="reverse-into">Open period</label>
            <${Picker} id="reverse-into" value=${into} source=${periods} required onChange=${setInto} /></div>
        <//>`}
  `;
}
