// How the server does: whether it is ready, its queue, and what it has answered while this page is open.
import { useEffect, useState } from 'preact/hooks';
import { base } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Chart } from '../parts/chart.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Facts, Table } from '../parts/table.js';
import { Status } from '../parts/values.js';

/** Milliseconds between two looks. */
const EVERY = 5000;
/** Looks that are kept: an hour. */
const KEPT = (60 * 60 * 1000) / EVERY;

/** @typedef {{ready: boolean, detail?: string}} Check */
/** @typedef {{ready: boolean, checks: Record<string, Check>}} Report */

/** Samples of this browser's looks, which go on from page to page. @type {{at: string, requests: number, errors: number, delivered: number}[]} */
const samples = [];

/** Sums of the samples of a metric. @param {string} text @param {(line: string) => boolean} wanted */
function sum(text, wanted) {
  let total = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || !wanted(line)) continue;
    total += Number(line.slice(line.lastIndexOf(' ') + 1)) || 0;
  }
  return total;
}

async function look() {
  const [ready, metrics] = await Promise.all([fetch(`${base}/readyz`), fetch(`${base}/metrics`)]);
  const report = /** @type {Report} */ (await ready.json());
  const text = await metrics.text();
  samples.push({
    at: new Date().toISOString(),
    requests: sum(text, (line) => line.startsWith('payroll_http_requests_total')),
    errors: sum(text, (line) => /^payroll_http_requests_total.*status="5/.test(line)),
    delivered: sum(text, (line) => line.startsWith('payroll_delivery_attempts_total')),
  });
  if (samples.length > KEPT) samples.shift();
  return { report, text };
}

export function Health() {
  const [round, again] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => again((count) => count + 1), EVERY);
    return () => clearInterval(timer);
  }, []);
  const health = useLoad(look, [round]);
  return html`
    <h1>Health</h1>
    <${Loaded} of=${health} what="the state of the server">
      ${(/** @type {{report: Report, text: string}} */ { report, text }) => html`
        <${Facts} pairs=${[
          ['Requests are answered', html`<${Status} value=${report.ready ? 'yes' : 'no'} kind=${report.ready ? 'good' : 'bad'} />`],
        ]} />
        <${Table} label="What was looked at" items=${Object.entries(report.checks)} empty="Nothing was looked at."
          columns=${[
            { title: 'What', cell: (/** @type {[string, Check]} */ [name]) => name },
            { title: 'State', cell: (/** @type {[string, Check]} */ [, check]) => html`<${Status}
              value=${check.ready ? 'ready' : 'not ready'} kind=${check.ready ? 'good' : 'bad'} />` },
            { title: 'Why', cell: (/** @type {[string, Check]} */ [, check]) => check.detail ?? '–' },
          ]} />
        ${samples.length > 2 ? html`
          <h2>Since this page was opened</h2>
          <${Chart} label="Requests, errors and deliveries in five seconds" dates=${samples.slice(1).map((it) => it.at)}
            series=${['requests', 'errors', 'delivered'].map((name) => ({
              name,
              values: samples.slice(1).map((it, index) => /** @type {any} */ (it)[name] - /** @type {any} */ (samples[index])[name]),
            }))} />` : null}
        <details><summary>All metrics</summary><pre tabindex="0">${text}</pre></details>
      `}
    <//>
  `;
}
