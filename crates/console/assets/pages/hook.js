// A hook: its health, its deliveries and its actions.
import { useState } from 'preact/hooks';
import { api, body, linked, one } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { DeliveryFilters, STATES, deliveryColumns } from '../parts/deliveries.js';
import { Loaded } from '../parts/feedback.js';
import { HookActions } from '../parts/hook-actions.js';
import { html } from '../parts/html.js';
import { LinkedList } from '../parts/linked-list.js';
import { setQuery, useLocation } from '../parts/router.js';
import { optionsText } from '../parts/hook-options.js';
import { Facts } from '../parts/table.js';
import { Count, Id, When } from '../parts/values.js';
import { ApplicationLink, CompanyLink } from './names.js';
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
    <p class="above"><a href="#/webhooks">Webhooks</a> / <${ApplicationLink} id=${applicationId} /></p>
    <h1>Hook <${Id} value=${hookId} /></h1>
    <${Loaded} of=${hook} what="the hook">
      ${(/** @type {{item: HookShown}} */ { item }) => html`
        <${Facts} pairs=${[
          ['State', health(item)],
          ['Address', item.uri],
          ['Domains', item.domains.join(', ')],
          ['Order and limits', optionsText(item)],
          ['Company', item.companyId ? html`<${CompanyLink} id=${item.companyId} />` : 'all companies with access'],
          ['Failing since', html`<${When} value=${item.queue.failingSince} />`],
          ['Disabled', html`<${When} value=${item.queue.disabledDate} />`],
          ['Consecutive failures', html`<${Count} value=${item.queue.failures} />`],
          ['Pending', html`<${Count} value=${item.queue.waiting} />`],
          ['Expired', html`<${Count} value=${item.queue.expired} />`],
        ]} />
        ${mayWrite('deliveries') || mayWrite('administration')
          ? html`<${HookActions} active=${item.active} requests=${requests({ applicationId, hookId })} changed=${changed} />`
          : null}
      `}
    <//>
    <h2>Deliveries</h2>
    <${DeliveryFilters} state=${state} domain=${domain} from=${from} change=${change} />
    <${LinkedList} label="Deliveries" load=${load} inputs=${[state, domain, from, round]} columns=${deliveryColumns('webhooks', applicationId, hookId)}
      empty="No delivery matches." />
  `;
}

/** @param {{applicationId: string, hookId: string}} path @returns {import('../parts/hook-actions.js').Requests} */
function requests(path) {
  const params = (/** @type {string} */ key) => ({ path, header: { 'Idempotency-Key': key } });
  return {
    test: (key) => body(api.POST('/operator/v1/applications/{applicationId}/hooks/{hookId}/test', { params: params(key) })),
    enable: !mayWrite('administration') ? undefined : (key) => body(api.POST('/operator/v1/applications/{applicationId}/hooks/{hookId}/enable', { params: params(key) })),
    disable: !mayWrite('administration') ? undefined : (key) => body(api.POST('/operator/v1/applications/{applicationId}/hooks/{hookId}/disable', { params: params(key) })),
    replay: async (key, window, after) => {
      const replay = api.POST('/operator/v1/applications/{applicationId}/hooks/{hookId}/replay', {
        params: params(key),
        body: { ...window, after },
      });
      return (await body(replay)).content[0] ?? { replayed: 0 };
    },
  };
}
