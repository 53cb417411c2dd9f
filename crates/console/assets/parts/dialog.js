// A dialog that asks for confirmation before an action. The browser keeps the keyboard focus inside, and
// Escape closes the dialog. Then the focus returns to the button that opened the dialog.
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
  return html`<dialog ref=${dialog} class=${wide ? 'wide' : ''} aria-labelledby=${heading} onClose=${onClose}>
    <form onSubmit=${submit}>
      <h2 id=${heading}>${title}</h2>
      ${children}
      <${Failed} error=${error} />
      <div class="actions">
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class=${danger ? 'danger' : 'primary'} disabled=${busy || disabled}>
          ${busy ? 'Saving …' : confirm}
        </button>
      </div>
    </form>
  </dialog>`;
}
