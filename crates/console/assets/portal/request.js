// The details of a rejected or failed request of the application.
import { one } from '../api/http.js';
import { html } from '../parts/html.js';
import { RejectedRequest } from '../parts/request-details.js';
import { api } from './client.js';

/** @param {{requestId: string}} path */
export function Request({ requestId }) {
  const load = () => one(api.GET('/management/requests/{requestId}', { params: { path: { requestId } } }));
  return html`<${RejectedRequest} requestId=${requestId} load=${load} above=${html`<a href="#/">Requests</a>`} />`;
}
