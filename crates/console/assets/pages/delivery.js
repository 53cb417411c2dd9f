// A delivery: the notification, each attempt with its result, and the receiver's later requests.
import { api, body, one } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { DeliveryTables, SendAgain, what } from '../parts/deliveries.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Facts } from '../parts/table.js';
import { Id, Status, When } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['Delivery']} Shown */

/** @param {{applicationId: string, hookId: string, deliveryId: string}} path */
export function Delivery({ applicationId, hookId, deliveryId }) {
  const path = { applicationId, hookId, deliveryId };
  const delivery = useLoad(
    () => one(api.GET('/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries/{deliveryId}', { params: { path } })),
    [applicationId, hookId, deliveryId],
  );
  const send = (/** @type {string} */ key) =>
    body(api.POST('/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries/{deliveryId}/replay', { params: { path, header: { 'Idempotency-Key': key } } }));
  return html`
    <p class="above"><a href="#/webhooks">Webhooks</a> / <a href=${to('webhooks', applicationId, hookId)}>${hookId}</a></p>
    <h1>Delivery <${Id} value=${deliveryId} /></h1>
    <${Loaded} of=${delivery} what="the delivery">
      ${(/** @type {{item: Shown}} */ { item }) => html`
        <${Facts} pairs=${[
          ['State', html`<${Status} value=${item.state} />`],
          ['What', what(item)],
          ['Company', item.companyId ? html`<a href=${to('companies', item.companyId)}>${item.companyId}</a>` : '–'],
          ['Worker', item.companyId && item.workerId ? html`<a href=${to('companies', item.companyId, 'workers', item.workerId)}>${item.workerId}</a>` : '–'],
          ['Pay period', html`<${Id} value=${item.payperiodId} />`],
          ['Notification', html`<${Id} value=${item.notificationId} />`],
          ['Queued', html`<${When} value=${item.queuedDate} />`],
          ['Due', html`<${When} value=${item.dueDate} />`],
          ['Ended', html`<${When} value=${item.endedDate} />`],
        ]} />
        <${SendAgain} send=${mayWrite('deliveries') ? send : undefined} reload=${delivery.reload} />
        <${DeliveryTables} delivery=${item} />
      `}
    <//>
  `;
}
