// The actions of a hook in both APIs: sending a test notification, enabling, disabling, and resending many
// deliveries.
import { useState } from 'preact/hooks';
import { idempotencyKey } from '../api/http.js';
import { useAction } from '../api/load.js';
import { Dialog } from './dialog.js';
import { placedFaults } from './faults.js';
import { Failed } from './feedback.js';
import { html } from './html.js';
import { Instant, instant } from './instant.js';

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

/**
 * @param {{active: boolean, requests: Requests, changed: () => void, children?: any}} props `children` are the buttons of
 *   further actions
 */
export function HookActions({ active, requests, changed, children }) {
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
      const window = { failed, from: instant(from), to: instant(to) };
      let [count, round] = [0, 0];
      /** @type {string | undefined} */
      let after;
      do {
        const part = await requests.replay(`${replaying}-${round}`, window, after);
        count += part.replayed;
        round += 1;
        after = part.next;
        say(`${count === 1 ? '1 delivery is' : `${count} deliveries are`} queued again.`);
      } while (after);
    });
    if (!sent) return;
    replay('');
    changed();
  };
  const set = (/** @type {object} */ part) => setWindow({ ...window, ...part });
  const { disable, enable } = requests;
  const { placed, rest } = placedFaults(FIELDS, error);
  return html`
    <div class="actions">
      <button type="button" disabled=${busy} onClick=${act('A test notification is queued. Its result appears in the list of deliveries.', requests.test)}>Send a test</button>
      ${active
        ? disable && html`<button type="button" disabled=${busy} onClick=${act('The hook is disabled. Notifications are queued until you enable it.', disable)}>Disable</button>`
        : enable && html`<button type="button" disabled=${busy} onClick=${act('The hook is enabled. Pending deliveries are sent now.', enable)}>Enable</button>`}
      <button type="button" onClick=${() => { clear(); replay(idempotencyKey()); }}>Resend many</button>
      ${children}
      <button type="button" class="quiet" onClick=${changed}>Refresh</button>
    </div>
    <p role="status" class="hint">${done}</p>
    ${replaying === '' ? html`<${Failed} error=${error} />` : html`<${Dialog} title="Resend deliveries?" confirm="Resend"
      busy=${busy} error=${rest} onConfirm=${replayAll} onClose=${() => replay('')}>
      <p class="hint">Deliveries that were queued between these times are resent with their ids. Leave a time empty for no limit. Times are in your time zone.</p>
      <div class="form">
        <${Instant} label="Queued from" value=${window.from} faults=${placed.get('/from')} onInput=${(/** @type {string} */ from) => set({ from })} />
        <${Instant} label="Queued before" value=${window.to} faults=${placed.get('/to')} onInput=${(/** @type {string} */ to) => set({ to })} />
      </div>
      <p><label><input type="checkbox" checked=${window.failed}
        onChange=${(/** @type {any} */ event) => set({ failed: event.target.checked })} /> Only failed deliveries</label></p>
    <//>`}
  `;
}

/** The members of a replay that have a field. */
const FIELDS = ['from', 'to'].map((name) => /** @type {import('./schema.js').Field} */ ({ name, kind: 'text' }));
