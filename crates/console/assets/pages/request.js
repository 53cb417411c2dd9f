// The details of a rejected or failed request of an application.
import { api, one } from '../client/client.js';
import { html } from '../parts/html.js';
import { RejectedRequest } from '../parts/request-details.js';
import { to } from '../parts/router.js';

/** @param {{applicationId: string, requestId: string}} path */
export function Request({ applicationId, requestId }) {
  const load = () =>
    one(api.GET('/operator/v1/applications/{applicationId}/requests/{requestId}', {
      params: { path: { applicationId, requestId } },
    }));
  const above = html`<a href="#/applications">Applications</a> / <a href=${to('applications', applicationId)}>${applicationId}</a>`;
  return html`<${RejectedRequest} requestId=${requestId} load=${load} above=${above} />`;
}
