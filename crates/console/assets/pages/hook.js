// A hook: how it does, its deliveries, and what can be done with it.
import { useState } from 'preact/hooks';
import { api, body, idempotencyKey, linked, one } from '../client/client.js';
import { useAction, useLoad } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { DeliveryFilters, STATES, deliveryColumns } from '../parts/deliveries.js';
import { Dialog } from '../parts/dialog.js';
import { Failed, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { LinkedList } from '../parts/linked-list.js';
import { setQuery, to, useLocation } from '../parts/router.js';
import { Facts } from '../parts/table.js';
import { Count, Id, When } from '../parts/values.js';
import { health } from './webhooks.js';

/** @typedef {import('../client/client.js').Schemas['Hook']} HookShown */
/** @typedef {import('../client/client.js').Schemas['EventDomain']} Domain */

/** @param {{applicationId: string, hookId: string}} path */
export function Hook({ applicationId, hookId }) {
  const { query } = useLocation();
  const [round, again] = useState(0);
  const hook = useLoad(
    () => one(api.GET('/operator/v1/applications/{applicationId}/hooks/{hookId}', { params: { path: { applicationId, hookId } } })),
    [applicationId, hookId],
  );
  const changed = () => {
    again(round + 1);
    hook.reload();
  };
  const state = STATES.find((known) => known === query.get('state'));
  const domain = query.get('domain') ?? '';
  const from = query.get('from') ?? '';
  const load = (/** @type {URLSearchParams | undefined} */ next) =>
    linked(api.GET('/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries', {
      params: {
        path: { applicationId, hookId },
        query: {
          limit: 50,
          state,
          // What people type is judged by the server.
          domain: /** @type {Domain | undefined} */ (domain || undefined),
          from: from || undefined,
          before: next?.get('before') ?? undefined,
        },
      },
    }));
  const change = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    setQuery({ state: state ?? '', domain, from, [name]: event.target.value });
  return html`
    <p class="above"><a href="#/webhooks">Webhooks</a> / <a href=${to('applications', applicationId)}>${applicationId}</a></p>
    <h1>Hook <${Id} value=${hookId} /></h1>
    <${Loaded} of=${hook} what="the hook">
      ${(/** @type {{item: HookShown}} */ { item }) => html`
        <${Facts} pairs=${[
          ['State', health(item)],
          ['Address', item.uri],
          ['Domains', item.domains.join(', ')],
          ['Company', item.companyId ? html`<a href=${to('companies', item.companyId)}>${item.companyId}</a>` : 'all that it may see'],
          ['Failing since', html`<${When} value=${item.queue.failingSince} />`],
          ['Disabled', html`<${When} value=${item.queue.disabledDate} />`],
          ['Failures in a row', html`<${Count} value=${item.queue.failures} />`],
          ['Waiting', html`<${Count} value=${item.queue.waiting} />`],
          ['Expired', html`<${Count} value=${item.queue.expired} />`],
        ]} />
        ${mayWrite() ? html`<${Actions} hook=${item} changed=${changed} />` : null}
      `}
    <//>
    <h2>Deliveries</h2>
    <${DeliveryFilters} state=${state} domain=${domain} from=${from} change=${change} />
    <${LinkedList} label="Deliveries" load=${load} inputs=${[state, domain, from, round]} columns=${deliveryColumns('webhooks', applicationId, hookId)}
      empty="Nothing was sent that fits." />
  `;
}

/** @param {{hook: HookShown, changed: () => void}} props */
function Actions({ hook, changed }) {
  const [replaying, replay] = useState('');
  const [window, setWindow] = useState({ from: '', to: '', failed: true });
  const [done, say] = useState('');
  const { busy, error, run, clear } = useAction();
  const path = { applicationId: hook.applicationId, hookId: hook.hookId };
  const header = () => ({ 'Idempotency-Key': idempotencyKey() });
  const act = async (/** @type {string} */ words, /** @type {() => Promise<unknown>} */ action) => {
    say('');
    if (!(await run(action))) return;
    say(words);
    changed();
  };
  const replayAll = async () => {
    const key = replaying;
    const sent = await run(async () => {
      const { content: [answer] } = await body(api.POST('/operator/v1/applications/{applicationId}/hooks/{hookId}/replay', {
        params: { path, header: { 'Idempotency-Key': key } },
        body: { failed: window.failed, from: window.from || undefined, to: window.to || undefined },
      }));
      say(`${answer?.replayed ?? 0} deliveries are sent again.`);
    });
    if (!sent) return;
    replay('');
    changed();
  };
  const set = (/** @type {object} */ part) => setWindow({ ...window, ...part });
  return html`
    <div class="actions">
      <button type="button" disabled=${busy} onClick=${() => act('A test call is on its way.', () =>
        body(api.POST('/operator/v1/applications/{applicationId}/hooks/{hookId}/test', { params: { path, header: header() } })))}>Send a test</button>
      ${hook.active
        ? html`<button type="button" disabled=${busy} onClick=${() => act('Nothing is sent until it is enabled.', () =>
            body(api.POST('/operator/v1/applications/{applicationId}/hooks/{hookId}/disable', { params: { path, header: header() } })))}>Disable</button>`
        : html`<button type="button" disabled=${busy} onClick=${() => act('It is enabled; what waits is sent.', () =>
            body(api.POST('/operator/v1/applications/{applicationId}/hooks/{hookId}/enable', { params: { path, header: header() } })))}>Enable</button>`}
      <button type="button" onClick=${() => { clear(); replay(idempotencyKey()); }}>Send many again</button>
      <button type="button" class="quiet" onClick=${changed}>Look again</button>
    </div>
    <p role="status" class="hint">${done}</p>
    ${replaying === '' ? html`<${Failed} error=${error} />` : html`<${Dialog} title="Send deliveries again?" confirm="Send again"
      busy=${busy} error=${error} onConfirm=${replayAll} onClose=${() => replay('')}>
      <p class="filters">
        <label>Queued from <input type="date" value=${window.from} onInput=${(/** @type {any} */ event) => set({ from: event.target.value })} /></label>
        <label>until <input type="date" value=${window.to} onInput=${(/** @type {any} */ event) => set({ to: event.target.value })} /></label>
      </p>
      <p><label><input type="checkbox" checked=${window.failed}
        onChange=${(/** @type {any} */ event) => set({ failed: event.target.checked })} /> Only those that have not arrived</label></p>
    <//>`}
  `;
}
