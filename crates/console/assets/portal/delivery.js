// A delivery to a hook of the application: each attempt, and what was requested because of it.
import { useState } from 'preact/hooks';
import { body, idempotencyKey, one } from '../api/http.js';
import { useAction, useLoad } from '../api/load.js';
import { DeliveryTables, what } from '../parts/deliveries.js';
import { Failed, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Facts } from '../parts/table.js';
import { Id, Status, When } from '../parts/values.js';
import { api } from './client.js';

/** @param {{hookId: string, deliveryId: string}} path */
export function Delivery({ hookId, deliveryId }) {
  const path = { hookId, deliveryId };
  const { busy, error, run } = useAction();
  const [said, say] = useState('');
  const delivery = useLoad(
    () => one(api.GET('/management/hooks/{hookId}/deliveries/{deliveryId}', { params: { path } })),
    [hookId, deliveryId],
  );
  const again = async () => {
    const sent = await run(() =>
      body(api.POST('/management/hooks/{hookId}/deliveries/{deliveryId}/replay', {
        params: { path, header: { 'Idempotency-Key': idempotencyKey() } },
      })));
    if (!sent) return;
    say('It is on its way again.');
    delivery.reload();
  };
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
        <div class="actions">
          <button type="button" class="primary" disabled=${busy} onClick=${again}>Send again</button>
          <button type="button" class="quiet" onClick=${delivery.reload}>Look again</button>
        </div>
        <p role="status" class="hint">${said}</p>
        <${Failed} error=${error} />
        <${DeliveryTables} delivery=${item} />
      `}
    <//>
  `;
}
