// The dialog in which a user signs in again. Behind it, the page is hidden and keeps its input.
import { useEffect, useRef } from 'preact/hooks';
import { html } from './html.js';

/** @param {{leave: () => void, children: any}} props The children are the form in which the user signs in. */
export function SignInAgain({ leave, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const open = () => dialog.current?.showModal();
  useEffect(() => {
    open();
    return () => dialog.current?.close();
  }, []);
  // Escape does not close the dialog, because the page must stay hidden until the user signs in.
  return html`<dialog ref=${dialog} class="expired" aria-label="Sign in again" onCancel=${(/** @type {Event} */ event) => event.preventDefault()}
    onClose=${open}>
    ${children}
    <p class="actions"><button type="button" class="quiet" onClick=${leave}>Discard my input and leave the page</button></p>
  </dialog>`;
}
