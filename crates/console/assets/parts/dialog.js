// A dialog that asks for confirmation before an action. The browser keeps the keyboard focus inside, and
// Escape closes the dialog. Then the focus returns to the button that opened the dialog. While the action runs, the
// dialog stays open, because it shows the faults and keeps the input.
import { useEffect, useId, useRef } from 'preact/hooks';
import { Failed } from './feedback.js';
import { html } from './html.js';

/**
 * @param {{
 *   title: string, confirm: string, busy?: boolean, error?: unknown, disabled?: boolean, danger?: boolean,
 *   wide?: boolean, onConfirm: () => unknown, onClose: () => void, children?: any,
 * }} props
 */
export function Dialog({ title, confirm, busy, error, disabled, danger, wide, onConfirm, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => void setTimeout(() => {
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    });
  }, []);
  useEffect(() => {
    if (!busy) return undefined;
    // The browser permits a page to cancel only some of the requests to close a dialog, but every key.
    const ignore = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Escape') event.preventDefault();
    };
    document.addEventListener('keydown', ignore, true);
    return () => document.removeEventListener('keydown', ignore, true);
  }, [busy]);
  const cancel = (/** @type {Event} */ event) => {
    if (busy) event.preventDefault();
  };
  const closed = () => {
    if (busy) dialog.current?.showModal();
    else onClose();
  };
  // A second submit can arrive before the page shows that the first one is in progress.
  const submitting = useRef(false);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (submitting.current) return;
    submitting.current = true;
    try {
      await onConfirm();
    } finally {
      submitting.current = false;
    }
  };
  return html`<dialog ref=${dialog} class=${wide ? 'wide' : ''} aria-labelledby=${heading} onCancel=${cancel} onClose=${closed}>
    <form onSubmit=${submit}>
      <h2 id=${heading}>${title}</h2>
      ${children}
      <${Failed} error=${error} />
      <div class="actions">
        <button type="button" disabled=${busy} onClick=${onClose}>Cancel</button>
        <button type="submit" class=${danger ? 'danger' : 'primary'} disabled=${busy || disabled}>
          ${busy ? 'Saving …' : confirm}
        </button>
      </div>
    </form>
  </dialog>`;
}
