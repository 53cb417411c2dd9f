// The events that hooks receive, from the description of the partner API.
import { useLoad } from '../api/load.js';
import { Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { descriptionOf, labelOf } from '../parts/schema.js';
import { base } from './client.js';

/** @typedef {{domain: string, name: string, summary: string, common: string, example: object}} Event */

/**
 * Returns the event of each domain. `common` is the text that applies to all events.
 *
 * @returns {Promise<Event[]>}
 */
export async function events() {
  const { webhooks } = await descriptionOf(base);
  return Object.values(webhooks).map(({ post }) => {
    const example = post.requestBody.content['application/json'].examples.example.value;
    const common = String(post.description ?? '').replace(post.summary, '').replaceAll('`', '').trim()
      .replace(/^A POST/, 'Each notification is a POST');
    return { domain: example.domains[0], name: labelOf(post.operationId), summary: post.summary, common, example };
  });
}

export function Events() {
  const catalogue = useLoad(events, []);
  return html`
    <h1>Event catalogue</h1>
    <${Loaded} of=${catalogue} what="the events">
      ${(/** @type {Event[]} */ items) => html`
        <p class="hint">${items[0]?.common}</p>
        ${items.map(({ domain, name, summary, example }) => html`<section key=${domain}>
          <h2>${name} <code>${domain}</code></h2>
          <p>${summary}</p>
          <pre tabindex="0" aria-label=${`Example of ${domain}`}>${JSON.stringify(example, null, 2)}</pre>
        </section>`)}
      `}
    <//>
  `;
}
