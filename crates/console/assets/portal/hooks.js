// The hooks of the application, and the form that registers one.
import { useState } from 'preact/hooks';
import { body, linked } from '../api/http.js';
import { useLoad } from '../api/load.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Table } from '../parts/table.js';
import { Id, Status, When } from '../parts/values.js';
import { api, mayWriteHooks } from './client.js';
import { HookForm } from './hook-form.js';
import { NewSecret } from './new-secret.js';

/** @typedef {import('./client.js').Schemas['Hook']} Shown */

/** Number of deliveries in which the latest attempt is searched. The latest attempt shows the health of a hook. */
const LATEST = 10;

/**
 * The health of a hook in the same words as in the console: disabled, failing if the last delivery has not
 * arrived, or healthy.
 *
 * @param {{hook: Shown}} props
 */
export function State({ hook }) {
  const params = { path: { hookId: hook.hookId }, query: { limit: LATEST } };
  const latest = useLoad(
    async () => (await linked(api.GET('/management/hooks/{hookId}/deliveries', { params }))).items.find((it) => it.attemptCount > 0)?.state ?? 'NONE',
    [hook],
  );
  if (!hook.active) return html`<${Status} value="disabled" kind="bad" />`;
  if (latest.value === undefined) return html`<${Status} value="active" />`;
  if (latest.value === 'NONE') return html`<${Status} value="nothing sent yet" />`;
  return latest.value === 'DELIVERED' ? html`<${Status} value="healthy" kind="good" />` : html`<${Status} value="failing" kind="bad" />`;
}

/** @type {import('../parts/windowed.js').Column<Shown>[]} */
const COLUMNS = [
  { title: 'Hook', cell: (hook) => html`<a href=${to('hooks', hook.hookId)}>${hook.hookId}</a>` },
  { title: 'Address', cell: (hook) => hook.uri },
  { title: 'State', cell: (hook) => html`<${State} hook=${hook} />` },
  { title: 'Domains', cell: (hook) => hook.domains.join(', ') },
  { title: 'Company', cell: (hook) => (hook.companyId ? html`<${Id} value=${hook.companyId} />` : 'all') },
  { title: 'Registered', cell: (hook) => html`<${When} value=${hook.createdDate} />` },
];

export function Hooks() {
  const hooks = useLoad(() => body(api.GET('/management/hooks')), []);
  const [isOpen, open] = useState(false);
  const [fresh, setFresh] = useState(/** @type {Shown | undefined} */ (undefined));
  const done = (/** @type {Shown} */ hook) => {
    open(false);
    setFresh(hook);
    hooks.reload();
  };
  const button = mayWriteHooks() ? html`<button type="button" class="primary" onClick=${() => open(true)}>Register a hook</button>` : null;
  return html`
    <div class="title"><h1>Hooks and deliveries</h1>${hooks.value?.length ? button : null}</div>
    ${fresh ? html`<${NewSecret} hook=${fresh} done=${() => setFresh(undefined)} />` : null}
    <${Loaded} of=${hooks} what="the hooks">
      ${(/** @type {Shown[]} */ items) => html`<${Table} label="Hooks" items=${items} columns=${COLUMNS}
        empty=${html`<${Empty} title="Your application has registered no hook.">
          <p>A hook is an address of your program that receives a notification of each change. The <a href="#/events">event catalogue</a> lists
            the notifications.</p>
          ${button ?? html`<p>To register a hook, your application needs the scope <code>write:webhooks</code>. Ask the operator for it.</p>`}
        <//>`} />`}
    <//>
    ${isOpen ? html`<${HookForm} done=${done} close=${() => open(false)} />` : null}
  `;
}
