// The status of a request of the log.
import { html } from './html.js';

/** The statuses of requests whose details are not stored. */
const WITHOUT_DETAILS = [401, 429];

/**
 * Shows the status of a request, with a link to its details if it can have any.
 *
 * @param {{status: number, href: string}} props
 */
export function RequestStatus({ status, href }) {
  if (status < 400 || WITHOUT_DETAILS.includes(status)) return status;
  return html`<a href=${href} aria-label=${`Status ${status}: details`}>${status}</a>`;
}
