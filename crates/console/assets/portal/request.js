// The details of a rejected or failed request of the application.
import { one } from '../api/http.js';
import { useLoad } from '../api/load.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { RequestDetails } from '../parts/request-details.js';
import { api } from './client.js';

/** @param {{requestId: string}} path */
export function Request({ requestId }) {
  const details = useLoad(
    () => one(api.GET('/management/requests/{requestId}', { params: { path: { requestId } } })),
    [requestId],
  );
  return html`
    <p class="above"><a href="#/">Requests</a></p>
    <h1>Rejected request</h1>
    <${Loaded} of=${details} what="the details">
      ${(/** @type {{item: import('./client.js').Schemas['RequestDetails']}} */ { item }) => html`<${RequestDetails} details=${item} />`}
    <//>
  `;
}
