// What a worker has left of time off, and how their work is distributed.
import { html } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { choiceText } from '../parts/values.js';
import { ListName } from './names.js';

/** @typedef {import('../client/client.js').Schemas['Worker']} Shown */
/** @typedef {NonNullable<Shown['timeOff']>[number]} Balance */
/** @typedef {NonNullable<Shown['assignmentDistributions']>[number]} Part */

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
    <${Table} label="Distribution of the work" items=${distributions} columns=${parts} empty="The work is not distributed." />
  `;
}
