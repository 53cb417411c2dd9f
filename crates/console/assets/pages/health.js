// The health of the server: its readiness, its dependencies, and its responses in the last hour.
import { useEffect, useState } from 'preact/hooks';
import { api, base, content, one } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Chart } from '../parts/chart.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Facts, Table } from '../parts/table.js';
import { Count, Status, When, countText } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['ServerHealth']} Shown */
/** @typedef {Shown['checks'][number]} Check */
/** @typedef {Shown['certificates'][number]} Certificate */
/** @typedef {Shown['minutes'][number]} Minute */
/** @typedef {import('../client/client.js').Schemas['Finding']} Finding */

/** Interval between two reads, in milliseconds. */
const EVERY = 5000;
/** The length of a minute in milliseconds. */
const MINUTE = 60_000;
/** Number of minutes in the chart. */
const CHARTED = 60;

/** The values of a minute without any events. */
const NOTHING = { requests: 0, refused: 0, failed: 0, attempts: 0, failedAttempts: 0 };

/**
 * Returns the complete minutes of the last hour. Minutes without events contain zeros.
 *
 * @param {Shown} health
 * @returns {Minute[]}
 */
function hour({ date, minutes }) {
  const byBegin = new Map(minutes.map((it) => [Date.parse(it.date), it]));
  const last = Math.floor(Date.parse(date) / MINUTE) * MINUTE;
  return Array.from({ length: CHARTED }, (_, index) => {
    const begin = last - (CHARTED - index) * MINUTE;
    return byBegin.get(begin) ?? { date: new Date(begin).toISOString(), ...NOTHING };
  });
}

/** @type {import('../parts/windowed.js').Column<Check>[]} */
const CHECKS = [
  { title: 'Dependency', cell: (check) => check.name },
  { title: 'State', cell: (check) => html`<${Status} value=${check.ready ? 'ready' : 'not ready'} kind=${check.ready ? 'good' : 'bad'} />` },
  { title: 'Problem', cell: (check) => check.problem ?? '–' },
];

/** @type {import('../parts/windowed.js').Column<Certificate>[]} */
const CERTIFICATES = [
  { title: 'Listener', cell: (it) => it.listener },
  { title: 'Ends', cell: (it) => html`<${When} value=${it.endDate} />` },
];

/** @type {import('../parts/windowed.js').Column<Minute>[]} */
const MINUTES = [
  { title: 'Minute', cell: (it) => html`<${When} value=${it.date} />` },
  { title: 'Requests', number: true, cell: (it) => html`<${Count} value=${it.requests} />` },
  { title: 'Refused', number: true, cell: (it) => html`<${Count} value=${it.refused} />` },
  { title: 'Failed', number: true, cell: (it) => html`<${Count} value=${it.failed} />` },
  { title: 'Delivery attempts', number: true, cell: (it) => html`<${Count} value=${it.attempts} />` },
  { title: 'Failed attempts', number: true, cell: (it) => html`<${Count} value=${it.failedAttempts} />` },
];

/** @type {Record<Finding['state'], 'good' | 'wait' | 'bad'>} */
const KINDS = { ok: 'good', warning: 'wait', problem: 'bad' };

/** @type {import('../parts/windowed.js').Column<Finding>[]} */
const FINDINGS = [
  { title: 'State', cell: (it) => html`<${Status} value=${it.state} kind=${KINDS[it.state]} />` },
  { title: 'Area', cell: (it) => it.area },
  { title: 'Finding', cell: (it) => html`${it.message}${it.advice ? html`<br /><span class="hint">${it.advice}</span>` : null}` },
];

async function look() {
  const [health, metrics] = await Promise.all([one(api.GET('/operator/v1/health')), fetch(`${base}/metrics`)]);
  return { health: health.item, text: await metrics.text() };
}

export function Health() {
  const [round, again] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => again((count) => count + 1), EVERY);
    return () => clearInterval(timer);
  }, []);
  const state = useLoad(look, [round]);
  return html`
    <h1>Health</h1>
    <${Loaded} of=${state} what="the state of the server">
      ${(/** @type {{health: Shown, text: string}} */ { health, text }) => html`
        <${Facts} pairs=${[
          ['Ready', html`<${Status} value=${health.ready ? 'yes' : 'no'} kind=${health.ready ? 'good' : 'bad'} />`],
          ['Release', health.version],
          ['Server time', html`<${When} value=${health.date} />`],
          ...lastBackup(health),
        ]} />
        <${Unreadable} companies=${health.unreadableCompanies} />
        <h2>Dependencies</h2>
        <${Table} label="Dependencies" items=${health.checks} columns=${CHECKS} empty="There are no dependencies." />
        <${Diagnosis} />
        <h2>Certificates</h2>
        <${Table} label="Certificates" items=${health.certificates} columns=${CERTIFICATES}
          empty="No listener of this server uses TLS. A proxy may encrypt its connections." />
        <h2>Last hour of this process</h2>
        <${LastHour} health=${health} />
        <details><summary>All metrics</summary><pre tabindex="0">${text}</pre></details>
      `}
    <//>
  `;
}

/** @param {{companies: string[]}} props */
function Unreadable({ companies }) {
  if (companies.length === 0) return null;
  return html`<div class="failed" role="alert">
    <p><strong>Companies that cannot be read.</strong> Lists omit these companies, because their stored data is invalid. The server's log has the cause for each. Restore them from a backup.</p>
    <ul>${companies.map((id) => html`<li><code>${id}</code></li>`)}</ul>
  </div>`;
}

/** Returns the last backup of the database, if one is known. @param {Shown} health @returns {[string, any][]} */
function lastBackup({ lastBackup: last }) {
  return last ? [['Last backup', html`<${When} value=${last.date} /> <code>${last.file}</code>, ${countText(last.bytes)} bytes`]] : [];
}

/** Shows the findings of `doctor`. They are expensive, so they are loaded only once and on request. */
function Diagnosis() {
  const found = useLoad(() => content(api.GET('/operator/v1/diagnosis')), []);
  return html`
    <h2>Diagnostics</h2>
    <${Loaded} of=${found} what="the findings">
      ${(/** @type {Finding[]} */ findings) => html`<${Table} label="Findings" items=${findings} columns=${FINDINGS} empty="There are no findings." />`}
    <//>
    <p class="actions"><button type="button" class="quiet" onClick=${found.reload}>Run the diagnostics again</button></p>
  `;
}

/** @param {{health: Shown}} props */
function LastHour({ health }) {
  if (health.minutes.length === 0) {
    return html`<${Empty} title="No request and no delivery in the last hour."><p class="hint">Each server process counts only its own requests. Other processes may have handled requests.</p><//>`;
  }
  const minutes = hour(health);
  return html`
    <${Chart} label="Requests and delivery attempts per minute" dates=${minutes.map((it) => it.date)}
      series=${[
        { name: 'requests', values: minutes.map((it) => it.requests) },
        { name: 'refused', values: minutes.map((it) => it.refused) },
        { name: 'failed', values: minutes.map((it) => it.failed) },
        { name: 'attempts to deliver', values: minutes.map((it) => it.attempts) },
        { name: 'failed attempts', values: minutes.map((it) => it.failedAttempts) },
      ]} />
    <details><summary>As a table</summary>
      <${Table} label="Requests and delivery attempts of each minute" items=${health.minutes} columns=${MINUTES} empty="" /></details>
  `;
}
