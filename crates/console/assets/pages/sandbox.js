// Actions that only a sandbox has: setting its clock, sending notifications on demand, and resetting its
// data.
import { useState } from 'preact/hooks';
import { api, body, one } from '../client/client.js';
import { useAction, useLoad } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { Dialog } from '../parts/dialog.js';
import { Failed, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { Facts } from '../parts/table.js';
import { Count, When } from '../parts/values.js';

const STEPS = [
  ['PT5M', '5 minutes'],
  ['PT1H', '1 hour'],
  ['P1D', '1 day'],
  ['P14D', '2 weeks'],
];

const DOMAINS = /** @type {const} */ ([
  'WRKR_ADD', 'WRKR_DEM', 'WRKR_EMPL', 'WRKR_TAX', 'WRKR_ASGN', 'WRKR_CMP', 'CLT_DEM', 'CLT_ORG', 'CLT_PROD', 'CLT_PYRN',
]);

export function Sandbox() {
  const clock = useLoad(() => one(api.GET('/operator/v1/sandbox/clock')), []);
  return html`
    <h1>Sandbox</h1>
    <${Loaded} of=${clock} what="the clock">
      ${(/** @type {{item: import('../client/client.js').Schemas['SandboxClock']}} */ { item }) => html`
        <${Facts} pairs=${[
          ['Server time', html`<${When} value=${item.now} />`],
          ['Seconds ahead of real time', html`<${Count} value=${item.secondsAhead} />`],
        ]} />
        ${mayWrite('administration') ? html`<${Clock} changed=${clock.reload} /><${Trigger} /><${Reset} changed=${clock.reload} />` : null}
      `}
    <//>
  `;
}

/** @param {{changed: () => void}} props */
function Clock({ changed }) {
  const { busy, error, run } = useAction();
  const act = async (/** @type {() => Promise<unknown>} */ action) => {
    if (await run(action)) changed();
  };
  return html`<section>
    <h2>Clock</h2>
    <div class="actions">
      ${STEPS.map(([advance, title]) => html`<button type="button" disabled=${busy}
        onClick=${() => act(() => body(api.PUT('/operator/v1/sandbox/clock', { body: { advance } })))}>Advance by ${title}</button>`)}
      <button type="button" disabled=${busy} onClick=${() => act(() => body(api.DELETE('/operator/v1/sandbox/clock')))}>Reset to the server machine's time</button>
    </div>
    <${Failed} error=${error} />
  </section>`;
}

function Trigger() {
  const [wish, setWish] = useState({ domain: /** @type {(typeof DOMAINS)[number]} */ ('WRKR_DEM'), companyId: '', workerId: '', duplicate: false, outOfOrder: false });
  const [said, say] = useState('');
  const { busy, error, run } = useAction();
  const set = (/** @type {object} */ part) => setWish({ ...wish, ...part });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    say('');
    // The request omits fields without a selection, because some domains do not accept all of them.
    const chosen = {
      domain: wish.domain,
      companyId: wish.companyId,
      workerId: wish.workerId || undefined,
      duplicate: wish.duplicate || undefined,
      outOfOrder: wish.outOfOrder || undefined,
    };
    void run(async () => {
      const { item } = await one(api.POST('/operator/v1/sandbox/triggers', { body: chosen }));
      say(`Sent: ${item.notificationIds.join(', ')}`);
    });
  };
  return html`<section>
    <h2>Trigger a notification</h2>
    <form class="filters" onSubmit=${submit}>
      <label>Domain <select onChange=${(/** @type {any} */ event) => set({ domain: event.target.value })}>
        ${DOMAINS.map((domain) => html`<option value=${domain} selected=${domain === wish.domain}>${domain}</option>`)}
      </select></label>
      <label>Company <input required value=${wish.companyId} onInput=${(/** @type {any} */ event) => set({ companyId: event.target.value })} /></label>
      <label>Worker <input value=${wish.workerId} onInput=${(/** @type {any} */ event) => set({ workerId: event.target.value })} /></label>
      <label>Send twice <input type="checkbox" checked=${wish.duplicate} onChange=${(/** @type {any} */ event) => set({ duplicate: event.target.checked })} /></label>
      <label>Then send an older event <input type="checkbox" checked=${wish.outOfOrder} onChange=${(/** @type {any} */ event) => set({ outOfOrder: event.target.checked })} /></label>
      <button type="submit" disabled=${busy}>Send</button>
    </form>
    <p role="status" class="hint">${said}</p>
    <${Failed} error=${error} />
  </section>`;
}

/** @param {{changed: () => void}} props */
function Reset({ changed }) {
  const [asked, ask] = useState(false);
  const [database, name] = useState('');
  const { busy, error, run } = useAction();
  const reset = async () => {
    if (!(await run(() => body(api.POST('/operator/v1/sandbox/reset', { body: { database } }))))) return;
    ask(false);
    changed();
  };
  return html`<section>
    <h2>Reset</h2>
    <p><button type="button" class="danger" onClick=${() => ask(true)}>Reset the sandbox</button></p>
    ${asked ? html`<${Dialog} title="Reset the sandbox?" confirm="Reset" danger busy=${busy} error=${error}
      onConfirm=${reset} onClose=${() => ask(false)}>
      <p>All companies and their history are deleted, and the initial data is stored again. Applications, hooks and keys are kept. Enter the name of the database, such as demo.db, to confirm.</p>
      <label>Name of the database <input required value=${database} onInput=${(/** @type {any} */ event) => name(event.target.value)} /></label><//>` : null}
  </section>`;
}
