// A hook of the application: its deliveries and its actions.
import { useState } from 'preact/hooks';
import { body, linked } from '../api/http.js';
import { useLoad } from '../api/load.js';
import { DeliveryFilters, STATES, deliveryColumns } from '../parts/deliveries.js';
import { Loaded } from '../parts/feedback.js';
import { HookActions } from '../parts/hook-actions.js';
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
    <${Loaded} of=${hook} what="the hook">
      ${(/** @type {Shown} */ item) => html`
        <${Facts} pairs=${[
          ['State', html`<${State} hook=${item} />`],
          ['Address', item.uri],
          ['Domains', item.domains.join(', ')],
          ['Company', item.companyId ?? 'all companies with access'],
          ['Authentication', item.authType],
          ['Registered', html`<${When} value=${item.createdDate} />`],
        ]} />
        <${HookActions} active=${item.active} requests=${requests(path)} changed=${changed} />
      `}
    <//>
    <h2>Deliveries</h2>
    <${DeliveryFilters} state=${state} domain=${domain} from=${from} change=${change} />
    <${LinkedList} label="Deliveries" load=${load} inputs=${[state, domain, from, round]} columns=${deliveryColumns('hooks', hookId)}
      empty="No delivery matches." />
  `;
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
