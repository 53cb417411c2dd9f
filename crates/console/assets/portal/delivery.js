// A delivery to a hook of the application: each attempt, and the application's later requests.
import { body, one } from '../api/http.js';
import { useLoad } from '../api/load.js';
import { DeliveryTables, SendAgain, what } from '../parts/deliveries.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Facts } from '../parts/table.js';
import { Id, Status, When } from '../parts/values.js';
import { api } from './client.js';

/** @param {{hookId: string, deliveryId: string}} path */
export function Delivery({ hookId, deliveryId }) {
  const path = { hookId, deliveryId };
  const delivery = useLoad(
    () => one(api.GET('/management/hooks/{hookId}/deliveries/{deliveryId}', { params: { path } })),
    [hookId, deliveryId],
  );
  const send = (/** @type {string} */ key) =>
    body(api.POST('/management/hooks/{hookId}/deliveries/{deliveryId}/replay', { params: { path, header: { 'Idempotency-Key': key } } }));
  return html`
    <p class="above"><a href="#/hooks">Hooks and deliveries</a> / <a href=${to('hooks', hookId)}>${hookId}</a></p>
    <h1>Delivery <${Id} value=${deliveryId} /></h1>
    <${Loaded} of=${delivery} what="the delivery">
      ${(/** @type {{item: import('./client.js').Schemas['Delivery']}} */ { item }) => html`
        <${Facts} pairs=${[
          ['State', html`<${Status} value=${item.state} />`],
          ['What', what(item)],
          ['Company', html`<${Id} value=${item.companyId} />`],
          ['Worker', html`<${Id} value=${item.workerId} />`],
          ['Pay period', html`<${Id} value=${item.payperiodId} />`],
          ['Notification', html`<${Id} value=${item.notificationId} />`],
          ['Queued', html`<${When} value=${item.queuedDate} />`],
          ['Due', html`<${When} value=${item.dueDate} />`],
          ['Ended', html`<${When} value=${item.endedDate} />`],
        ]} />
        <${SendAgain} send=${send} reload=${delivery.reload} />
        <${DeliveryTables} delivery=${item} />
      `}
    <//>
  `;
}
