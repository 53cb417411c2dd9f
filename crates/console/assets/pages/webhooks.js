// The hooks of all applications, with how they do.
import { api, one, page } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Facts } from '../parts/table.js';
import { Count, Status, When } from '../parts/values.js';
import { WindowedTable } from '../parts/windowed.js';

/** @typedef {import('../client/client.js').Schemas['Hook']} Hook */

/** How a hook does, in a word. @param {Hook} hook */
export function health(hook) {
  if (!hook.active) return html`<${Status} value=${hook.queue.disabledDate ? 'disabled' : 'off'} kind="bad" />`;
  if (hook.queue.failingSince) return html`<${Status} value="failing" kind="bad" />`;
  if (hook.queue.waiting > 0) return html`<${Status} value="waiting" />`;
  return html`<${Status} value="in order" kind="good" />`;
}

/** @type {import('../parts/windowed.js').Column<Hook>[]} */
const COLUMNS = [
  {
    title: 'Hook',
    cell: (hook) => html`<a href=${to('webhooks', hook.applicationId, hook.hookId)}>${hook.hookId}</a>`,
  },
  { title: 'Application', cell: (hook) => html`<a href=${to('applications', hook.applicationId)}>${hook.applicationId}</a>` },
  { title: 'Address', cell: (hook) => hook.uri },
  { title: 'State', cell: health },
  { title: 'Failing since', cell: (hook) => html`<${When} value=${hook.queue.failingSince} />` },
  { title: 'Waiting', number: true, cell: (hook) => html`<${Count} value=${hook.queue.waiting} />` },
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
        ['Not active', html`<${Count} value=${item.inactiveHooks} />`],
        ['Waiting', html`<${Count} value=${item.waiting} />`],
        ['To be sent again', html`<${Count} value=${item.retrying} />`],
        ['Held for hooks that are off', html`<${Count} value=${item.held} />`],
        ['Oldest that waits', html`<${When} value=${item.oldestWaiting} />`],
      ]} />`}
    <//>
    <${WindowedTable} label="Hooks" load=${load} inputs=${[]} columns=${COLUMNS}
      empty=${html`<${Empty} title="No application has registered a hook.">
        <p>Applications do that by the partner API; <code>payroll-server listen --register</code> does it for a test.</p>
      <//>`} />
  `;
}
