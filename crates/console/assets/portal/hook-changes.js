// The changes of a hook: its members, its secret and its deletion.
import { useState } from 'preact/hooks';
import { ApiError, body, idempotencyKey } from '../api/http.js';
import { useAction } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { toast } from '../parts/toast.js';
import { When } from '../parts/values.js';
import { api } from './client.js';
import { HookForm } from './hook-form.js';
import { NewSecret } from './new-secret.js';

/** @typedef {import('./client.js').Schemas['Hook']} Shown */

/**
 * The buttons for the changes, and their dialogs.
 *
 * @param {{stored: {item: Shown, tag: string}, changed: () => void, renew: (hook: Shown) => void}} props `renew` receives the
 *   hook with its new secret
 */
export function HookChanges({ stored, changed, renew }) {
  const [open, setOpen] = useState(/** @type {'' | 'change' | 'rotate' | 'delete'} */ (''));
  const close = () => setOpen('');
  const { hookId } = stored.item;
  const done = () => {
    close();
    toast(`Hook ${hookId} is changed.`);
    changed();
  };
  // The page reads the hook again, because another request may have changed it during the dialog.
  const cancel = () => {
    close();
    changed();
  };
  return html`
    <button type="button" onClick=${() => setOpen('change')}>Change</button>
    <button type="button" onClick=${() => setOpen('rotate')}>Rotate the secret</button>
    <button type="button" onClick=${() => setOpen('delete')}>Delete</button>
    ${open === 'change' ? html`<${HookForm} stored=${stored} done=${done} close=${cancel} />` : null}
    ${open === 'rotate' ? html`<${Rotation} hookId=${hookId} close=${close} done=${(/** @type {Shown} */ hook) => { close(); renew(hook); }} />` : null}
    ${open === 'delete' ? html`<${Deletion} hookId=${hookId} close=${close} />` : null}
  `;
}

/** @param {{hookId: string, close: () => void, done: (hook: Shown) => void}} props */
function Rotation({ hookId, close, done }) {
  const { busy, error, run } = useAction();
  // A retry has the same key, so that it does not rotate the secret twice.
  const [key] = useState(idempotencyKey);
  const rotate = () => run(async () => {
    const params = { path: { hookId }, header: { 'Idempotency-Key': key } };
    done(await body(api.POST('/management/hooks/{hookId}/rotate-secret', { params })));
  });
  return html`<${Dialog} title="Rotate the signing secret?" confirm="Rotate" busy=${busy} error=${error} onConfirm=${rotate} onClose=${close}>
    <p>The server creates a new secret and shows it once. For 24 hours, each notification has the signatures of both secrets, so your
      receiver keeps working while you replace the secret. Another rotation within that time invalidates the oldest secret immediately.</p>
  <//>`;
}

/** @param {{hookId: string, close: () => void}} props */
function Deletion({ hookId, close }) {
  const { busy, error, run } = useAction();
  const remove = () => run(async () => {
    try {
      await body(api.DELETE('/management/hooks/{hookId}', { params: { path: { hookId } } }));
    } catch (failure) {
      // An earlier attempt whose response was lost, or another request, has deleted the hook.
      if (!(failure instanceof ApiError && failure.status === 404)) throw failure;
    }
    toast(`Hook ${hookId} is deleted.`);
    window.location.hash = to('hooks');
  });
  return html`<${Dialog} title="Delete the hook?" confirm="Delete" danger busy=${busy} error=${error} onConfirm=${remove} onClose=${close}>
    <p>The hook <code>${hookId}</code> receives no more notifications. Its pending deliveries and its delivery log are deleted too. You
      cannot undo this.</p>
  <//>`;
}

/** The new secret after a rotation. @param {{hook: Shown, done: () => void}} props */
export function RotatedSecret({ hook, done }) {
  return html`<${NewSecret} hook=${hook} done=${done}>
    ${hook.oldSecretValidUntil
      ? html`<p>The previous secret is valid until <${When} value=${hook.oldSecretValidUntil} />.</p>`
      : null}
  <//>`;
}
