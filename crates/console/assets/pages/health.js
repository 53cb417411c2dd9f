// How the server does: whether it is ready, what that rests on, and what it has answered in the last hour.
import { useEffect, useState } from 'preact/hooks';
import { api, base, one } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Chart } from '../parts/chart.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Facts, Table } from '../parts/table.js';
import { Count, Status, When } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['ServerHealth']} Shown */
/** @typedef {Shown['checks'][number]} Check */
/** @typedef {Shown['certificates'][number]} Certificate */
/** @typedef {Shown['minutes'][number]} Minute */

/** Milliseconds between two looks. */
const EVERY = 5000;
/** Milliseconds of a minute. */
const MINUTE = 60_000;
/** Minutes in the chart. */
const CHARTED = 60;

/**
 * The whole minutes of the last hour, of which those without a request have zeros.
 *
 * @param {Shown} health
 * @returns {Minute[]}
 */
function hour({ date, minutes }) {
  const byBegin = new Map(minutes.map((it) => [Date.parse(it.date), it]));
  const last = Math.floor(Date.parse(date) / MINUTE) * MINUTE;
  return Array.from({ length: CHARTED }, (_, index) => {
    const begin = last - (CHARTED - index) * MINUTE;
    return byBegin.get(begin) ?? { date: new Date(begin).toISOString(), requests: 0, refused: 0, failed: 0 };
  });
}

/** @type {import('../parts/windowed.js').Column<Check>[]} */
const CHECKS = [
  { title: 'What', cell: (check) => check.name },
  { title: 'State', cell: (check) => html`<${Status} value=${check.ready ? 'ready' : 'not ready'} kind=${check.ready ? 'good' : 'bad'} />` },
  { title: 'Why', cell: (check) => check.problem ?? '–' },
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
          ['Requests are answered', html`<${Status} value=${health.ready ? 'yes' : 'no'} kind=${health.ready ? 'good' : 'bad'} />`],
          ['Release', health.version],
          ['Its time', html`<${When} value=${health.date} />`],
        ]} />
        <h2>What that rests on</h2>
        <${Table} label="What was looked at" items=${health.checks} columns=${CHECKS} empty="Nothing was looked at." />
        <h2>Certificates</h2>
        <${Table} label="Certificates" items=${health.certificates} columns=${CERTIFICATES}
          empty="No listener of this process speaks TLS itself." />
        <h2>The last hour of this process</h2>
        <${LastHour} health=${health} />
        <details><summary>All metrics</summary><pre tabindex="0">${text}</pre></details>
      `}
    <//>
  `;
}

/** @param {{health: Shown}} props */
function LastHour({ health }) {
  if (health.minutes.length === 0) {
    return html`<${Empty} title="No request was answered."><p>Another process may have answered: each keeps its own hour.</p><//>`;
  }
  const minutes = hour(health);
  return html`
    <${Chart} label="Requests, refused and failed ones, by the minute" dates=${minutes.map((it) => it.date)}
      series=${[
        { name: 'requests', values: minutes.map((it) => it.requests) },
        { name: 'refused', values: minutes.map((it) => it.refused) },
        { name: 'failed', values: minutes.map((it) => it.failed) },
      ]} />
    <details><summary>As figures</summary>
      <${Table} label="Requests by the minute" items=${health.minutes} columns=${MINUTES} empty="" /></details>
  `;
}
