// A hook of the application: its deliveries, and what can be done with it.
import { useState } from 'preact/hooks';
import { body, idempotencyKey, linked } from '../api/http.js';
import { useAction, useLoad } from '../api/load.js';
import { DeliveryFilters, STATES, deliveryColumns } from '../parts/deliveries.js';
import { Dialog } from '../parts/dialog.js';
import { Failed, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { LinkedList } from '../parts/linked-list.js';
import { setQuery, useLocation } from '../parts/router.js';
import { Facts } from '../parts/table.js';
import { Id, When } from '../parts/values.js';
import { api } from './client.js';
import { State } from './hooks.js';

/** @typedef {import('./client.js').Schemas['Hook']} Shown */
/** @typedef {import('./client.js').Schemas['EventDomain']} Domain */

/** @param {{hookId: string}} props */
export function Hook({ hookId }) {
  const { query } = useLocation();
  const [round, again] = useState(0);
  const path = { hookId };
  const hook = useLoad(() => body(api.GET('/management/hooks/{hookId}', { params: { path } })), [hookId]);
  const changed = () => {
    again(round + 1);
    hook.reload();
  };
  const state = STATES.find((known) => known === query.get('state'));
  const domain = query.get('domain') ?? '';
  const from = query.get('from') ?? '';
  const load = (/** @type {URLSearchParams | undefined} */ next) =>
    linked(api.GET('/management/hooks/{hookId}/deliveries', {
      params: {
        path,
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
    <p class="above"><a href="#/hooks">Hooks and deliveries</a></p>
    <h1>Hook <${Id} value=${hookId} /></h1>
    <${Loaded} of=${hook} what="the hook">
      ${(/** @type {Shown} */ item) => html`
        <${Facts} pairs=${[
          ['State', html`<${State} hook=${item} />`],
          ['Address', item.uri],
          ['Domains', item.domains.join(', ')],
          ['Company', item.companyId ?? 'all that your application may see'],
          ['Authentication', item.authType],
          ['Registered', html`<${When} value=${item.createdDate} />`],
        ]} />
        <${Actions} hook=${item} changed=${changed} />
      `}
    <//>
    <h2>Deliveries</h2>
    <${DeliveryFilters} state=${state} domain=${domain} from=${from} change=${change} />
    <${LinkedList} label="Deliveries" load=${load} inputs=${[state, domain, from, round]} columns=${deliveryColumns('hooks', hookId)}
      empty="Nothing was sent that fits." />
  `;
}

/** @param {{hook: Shown, changed: () => void}} props */
function Actions({ hook, changed }) {
  const [replaying, replay] = useState('');
  const [window, setWindow] = useState({ from: '', to: '', failed: true });
  const [done, say] = useState('');
  const { busy, error, run, clear } = useAction();
  const path = { hookId: hook.hookId };
  const act = async (/** @type {string} */ words, /** @type {() => Promise<unknown>} */ action) => {
    say('');
    if (!(await run(action))) return;
    say(words);
    changed();
  };
  const header = () => ({ 'Idempotency-Key': idempotencyKey() });
  const replayAll = async () => {
    const key = replaying;
    const sent = await run(async () => {
      const answer = await body(api.POST('/management/hooks/{hookId}/replay', {
        params: { path, header: { 'Idempotency-Key': key } },
        body: { failed: window.failed, from: window.from || undefined, to: window.to || undefined },
      }));
      say(`${answer.replayed} deliveries are sent again.`);
    });
    if (!sent) return;
    replay('');
    changed();
  };
  const set = (/** @type {object} */ part) => setWindow({ ...window, ...part });
  return html`
    <div class="actions">
      <button type="button" disabled=${busy} onClick=${() => act('A test call is on its way.', () =>
        body(api.POST('/management/hooks/{hookId}/test', { params: { path, header: header() } })))}>Send a test</button>
      ${hook.active ? null : html`<button type="button" disabled=${busy} onClick=${() => act('It is enabled; what waits is sent.', () =>
        body(api.POST('/management/hooks/{hookId}/enable', { params: { path, header: header() } })))}>Enable</button>`}
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
