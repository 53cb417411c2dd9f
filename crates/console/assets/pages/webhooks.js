// The hooks of all applications and their health.
import { api, one, page } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Facts } from '../parts/table.js';
import { Count, Status, When } from '../parts/values.js';
import { ApplicationLink } from './names.js';
import { WindowedTable } from '../parts/windowed.js';

/** @typedef {import('../client/client.js').Schemas['Hook']} Hook */

/** Returns the health of a hook as a word. @param {Hook} hook */
export function health(hook) {
  if (!hook.active) return html`<${Status} value="disabled" kind="bad" />`;
  if (hook.queue.failingSince) return html`<${Status} value="failing" kind="bad" />`;
  if (hook.queue.waiting > 0) return html`<${Status} value="waiting" />`;
  return html`<${Status} value="healthy" kind="good" />`;
}

/** @type {import('../parts/windowed.js').Column<Hook>[]} */
const COLUMNS = [
  {
    title: 'Hook',
    cell: (hook) => html`<a href=${to('webhooks', hook.applicationId, hook.hookId)}>${hook.hookId}</a>`,
  },
  { title: 'Application', cell: (hook) => html`<${ApplicationLink} id=${hook.applicationId} />` },
  { title: 'Address', cell: (hook) => hook.uri },
  { title: 'State', cell: health },
  { title: 'Failing since', cell: (hook) => html`<${When} value=${hook.queue.failingSince} />` },
  { title: 'Pending', number: true, cell: (hook) => html`<${Count} value=${hook.queue.waiting} />` },
];

export function Webhooks() {
  const summary = useLoad(() => one(api.GET('/operator/v1/hooks/summary')), []);
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    page(api.GET('/operator/v1/hooks', { params: { query: { offset, limit } } }));
  return html`
    <h1>Webhooks</h1>
    <${Loaded} of=${summary} what="the queue">
      ${(/** @type {{item: import('../client/client.js').Schemas['QueueSummary']}} */ { item }) => html`<${Facts} pairs=${[
        ['Active hooks', html`<${Count} value=${item.activeHooks} />`],
        ['Failing', html`<${Count} value=${item.failingHooks} />`],
        ['Disabled', html`<${Count} value=${item.inactiveHooks} />`],
        ['Pending', html`<${Count} value=${item.waiting} />`],
        ['Retrying', html`<${Count} value=${item.retrying} />`],
        ['Collected for disabled hooks', html`<${Count} value=${item.held} />`],
        ['Oldest pending delivery', html`<${When} value=${item.oldestWaiting} />`],
      ]} />`}
    <//>
    <${WindowedTable} label="Hooks" load=${load} inputs=${[]} columns=${COLUMNS}
      empty=${html`<${Empty} title="No application has registered a hook.">
        <p>Applications register hooks with the partner API. To register one for a test, run <code>payroll-server listen --register</code>.</p>
      <//>`} />
  `;
}
