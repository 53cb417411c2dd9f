// The details of a rejected or failed request of an application.
import { api, one } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { RequestDetails } from '../parts/request-details.js';
import { to } from '../parts/router.js';

/** @param {{applicationId: string, requestId: string}} path */
export function Request({ applicationId, requestId }) {
  const details = useLoad(
    () => one(api.GET('/operator/v1/applications/{applicationId}/requests/{requestId}', {
      params: { path: { applicationId, requestId } },
    })),
    [applicationId, requestId],
  );
  return html`
    <p class="above"><a href="#/applications">Applications</a> / <a href=${to('applications', applicationId)}>${applicationId}</a></p>
    <h1>Rejected request</h1>
    <${Loaded} of=${details} what="the details">
      ${(/** @type {{item: import('../client/client.js').Schemas['RequestDetails']}} */ { item }) => html`<${RequestDetails} details=${item} />`}
    <//>
  `;
}
