// The actions of a hook in both APIs: sending a test notification, enabling, disabling, and resending many
// deliveries.
import { useState } from 'preact/hooks';
import { idempotencyKey } from '../api/http.js';
import { useAction } from '../api/load.js';
import { Dialog } from './dialog.js';
import { Failed } from './feedback.js';
import { html } from './html.js';

/** The deliveries to resend. @typedef {{failed: boolean, from: string | undefined, to: string | undefined}} Window */

/**
 * The requests, each with its idempotency key. An action without a request is not available.
 *
 * @typedef {object} Requests
 * @property {(key: string) => Promise<unknown>} test
 * @property {(key: string) => Promise<unknown>} [enable]
 * @property {(key: string) => Promise<unknown>} [disable]
 * @property {(key: string, window: Window, after: string | undefined) => Promise<{replayed: number, next?: string}>} replay
 *   the number of deliveries to resend, and the position to continue from if more may exist
 */

/** @param {{active: boolean, requests: Requests, changed: () => void}} props */
export function HookActions({ active, requests, changed }) {
  const [replaying, replay] = useState('');
  const [window, setWindow] = useState({ from: '', to: '', failed: true });
  const [done, say] = useState('');
  const { busy, error, run, clear } = useAction();
  const act = (/** @type {string} */ words, /** @type {(key: string) => Promise<unknown>} */ action) => async () => {
    say('');
    if (!(await run(() => action(idempotencyKey())))) return;
    say(words);
    changed();
  };
  const replayAll = async () => {
    const { failed, from, to } = window;
    const sent = await run(async () => {
      const window = { failed, from: from || undefined, to: to || undefined };
      let [count, round] = [0, 0];
      /** @type {string | undefined} */
      let after;
      do {
        const part = await requests.replay(`${replaying}-${round}`, window, after);
        count += part.replayed;
        round += 1;
        after = part.next;
        say(`${count} deliveries are queued again.`);
      } while (after);
    });
    if (!sent) return;
    replay('');
    changed();
  };
  const set = (/** @type {object} */ part) => setWindow({ ...window, ...part });
  const { disable, enable } = requests;
  return html`
    <div class="actions">
      <button type="button" disabled=${busy} onClick=${act('The test call is queued.', requests.test)}>Send a test</button>
      ${active
        ? disable && html`<button type="button" disabled=${busy} onClick=${act('The hook is disabled. Nothing is sent until you enable it.', disable)}>Disable</button>`
        : enable && html`<button type="button" disabled=${busy} onClick=${act('The hook is enabled. Pending deliveries are sent now.', enable)}>Enable</button>`}
      <button type="button" onClick=${() => { clear(); replay(idempotencyKey()); }}>Resend many</button>
      <button type="button" class="quiet" onClick=${changed}>Refresh</button>
    </div>
    <p role="status" class="hint">${done}</p>
    ${replaying === '' ? html`<${Failed} error=${error} />` : html`<${Dialog} title="Resend deliveries?" confirm="Resend"
      busy=${busy} error=${error} onConfirm=${replayAll} onClose=${() => replay('')}>
      <p class="filters">
        <label>Queued from <input type="date" value=${window.from} onInput=${(/** @type {any} */ event) => set({ from: event.target.value })} /></label>
        <label>until <input type="date" value=${window.to} onInput=${(/** @type {any} */ event) => set({ to: event.target.value })} /></label>
      </p>
      <p><label><input type="checkbox" checked=${window.failed}
        onChange=${(/** @type {any} */ event) => set({ failed: event.target.checked })} /> Only failed deliveries</label></p>
    <//>`}
  `;
}
