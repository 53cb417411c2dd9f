// Downloads a CSV file from the server.
import { save } from '../client/client.js';
import { useAction } from '../api/load.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';

/** @param {{path: string, name: string, title: string}} props */
export function Download({ path, name, title }) {
  const { busy, error, run } = useAction();
  return html`
    <p><button type="button" class="quiet" disabled=${busy} onClick=${() => run(() => save(path, 'text/csv', name))}>${title}</button></p>
    <${Failed} error=${error} />
  `;
}
