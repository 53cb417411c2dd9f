// A hook of the application: its deliveries and its actions.
import { useState } from 'preact/hooks';
import { body, linked, tagged } from '../api/http.js';
import { useLoad } from '../api/load.js';
import { DeliveryFilters, STATES, deliveryColumns } from '../parts/deliveries.js';
import { Loaded } from '../parts/feedback.js';
import { HookActions } from '../parts/hook-actions.js';
import { html } from '../parts/html.js';
import { LinkedList } from '../parts/linked-list.js';
import { setQuery, useLocation } from '../parts/router.js';
import { optionsText } from '../parts/hook-options.js';
import { Facts } from '../parts/table.js';
import { Id, When } from '../parts/values.js';
import { api, mayWriteHooks } from './client.js';
import { HookChanges, RotatedSecret } from './hook-changes.js';
import { AUTHENTICATION } from './hook-form.js';
import { State } from './hooks.js';

/** @typedef {import('./client.js').Schemas['Hook']} Shown */
/** @typedef {import('./client.js').Schemas['EventDomain']} Domain */

/** @param {{hookId: string}} props */
export function Hook({ hookId }) {
  const { query } = useLocation();
  const [round, again] = useState(0);
  const path = { hookId };
  const [fresh, renew] = useState(/** @type {Shown | undefined} */ (undefined));
  const hook = useLoad(() => tagged(api.GET('/management/hooks/{hookId}', { params: { path } })), [hookId]);
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
          // The server validates the typed text.
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
    ${fresh ? html`<${RotatedSecret} hook=${fresh} done=${() => renew(undefined)} />` : null}
    <${Loaded} of=${hook} what="the hook">
      ${(/** @type {{item: Shown, tag: string}} */ stored) => html`
        <${HookFacts} hook=${stored.item} />
        ${mayWriteHooks()
          ? html`<${HookActions} active=${stored.item.active} requests=${requests(path)} changed=${changed}>
              <${HookChanges} stored=${stored} changed=${changed} renew=${(/** @type {Shown} */ item) => { renew(item); changed(); }} />
            <//>`
          : html`<p class="hint">To change this hook or resend deliveries, your application needs the scope <code>write:webhooks</code>.</p>`}
      `}
    <//>
    <h2>Deliveries</h2>
    <${DeliveryFilters} state=${state} domain=${domain} from=${from} change=${change} />
    <${LinkedList} label="Deliveries" load=${load} inputs=${[state, domain, from, round]} columns=${deliveryColumns('hooks', hookId)}
      empty="No delivery matches." />
  `;
}

/** @param {{hook: Shown}} props */
function HookFacts({ hook }) {
  return html`<${Facts} pairs=${[
    ['State', html`<${State} hook=${hook} />`],
    ['Address', hook.uri],
    ['Domains', hook.domains.join(', ')],
    ['Company', hook.companyId ?? 'all companies with access'],
    ['Authentication', AUTHENTICATION[hook.authType] ?? hook.authType],
    ['Order and limits', optionsText(hook)],
    ['Registered', html`<${When} value=${hook.createdDate} />`],
  ]} />`;
}

/** @param {{hookId: string}} path @returns {import('../parts/hook-actions.js').Requests} */
function requests(path) {
  const params = (/** @type {string} */ key) => ({ path, header: { 'Idempotency-Key': key } });
  return {
    test: (key) => body(api.POST('/management/hooks/{hookId}/test', { params: params(key) })),
    enable: (key) => body(api.POST('/management/hooks/{hookId}/enable', { params: params(key) })),
    replay: (key, window, after) =>
      body(api.POST('/management/hooks/{hookId}/replay', { params: params(key), body: { ...window, after } })),
  };
}
