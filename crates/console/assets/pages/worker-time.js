// A worker's statuses, remaining time off, and work distribution.
import { html } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { Day, Status, choiceText } from '../parts/values.js';
import { ListName } from './names.js';

/** @typedef {import('../client/client.js').Schemas['Worker']} Shown */
/** @typedef {NonNullable<Shown['statuses']>[number]} Entry */
/** @typedef {NonNullable<Shown['timeOff']>[number]} Balance */
/** @typedef {NonNullable<Shown['assignmentDistributions']>[number]} Part */

/** @type {import('../parts/windowed.js').Column<Entry>[]} */
const STATUSES = [
  { title: 'Since', cell: (it) => html`<${Day} value=${it.effectiveDate} />` },
  { title: 'Status', cell: (it) => html`<${Status} value=${it.statusType} kind=${it.statusType === 'ACTIVE' ? 'good' : 'waiting'} />` },
  { title: 'Reason', cell: (it) => (it.statusReason ? choiceText(it.statusReason) : '–') },
];

/** Shows the statuses, the newest first. @param {{statuses: Entry[]}} props */
export function StatusHistory({ statuses }) {
  return html`
    <h2>Statuses</h2>
    <${Table} label="Statuses" items=${[...statuses].reverse()} columns=${STATUSES} empty="The worker has no status." />
  `;
}

/** @type {import('../parts/windowed.js').Column<Balance>[]} */
const BALANCES = [
  { title: 'Policy', cell: (it) => it.name },
  { title: 'Type', cell: (it) => it.type },
  { title: 'Balance', number: true, cell: (it) => it.balance },
  { title: 'Measure', cell: (it) => choiceText(it.measure) },
];

/** @param {{companyId: string, timeOff: Balance[], distributions: Part[]}} props */
export function TimeAndWork({ companyId, timeOff, distributions }) {
  /** @type {import('../parts/windowed.js').Column<Part>[]} */
  const parts = [
    { title: 'Job', cell: (it) => it.jobId ?? '–' },
    { title: 'Labor assignment', cell: (it) => html`<${ListName} companyId=${companyId} member="laborAssignmentId" id=${it.laborAssignmentId} />` },
    { title: 'Percentage', number: true, cell: (it) => Number(it.value) },
  ];
  return html`
    <h2>Time off</h2>
    <${Table} label="Time off" items=${timeOff} columns=${BALANCES} empty="The worker has no balance of time off." />
    <h2>Distribution of the work</h2>
    <${Table} label="Distribution of the work" items=${distributions} columns=${parts} empty="The worker's work is not distributed among jobs or labor assignments." />
  `;
}
