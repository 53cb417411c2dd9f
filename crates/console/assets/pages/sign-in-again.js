// The dialog in which an operator whose session has expired signs in again. It hides the page, which keeps its input.
import { useEffect, useRef } from 'preact/hooks';
import { leave } from '../client/session.js';
import { html } from '../parts/html.js';
import { SignIn } from './sign-in.js';

export function SignInAgain() {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const open = () => dialog.current?.showModal();
  useEffect(() => {
    open();
    return () => dialog.current?.close();
  }, []);
  // Escape does not close the dialog, because the page must stay hidden until the operator signs in.
  return html`<dialog ref=${dialog} class="expired" aria-label="Sign in again" onCancel=${(/** @type {Event} */ event) => event.preventDefault()}
    onClose=${open}>
    <${SignIn} />
    <p class="actions"><button type="button" class="quiet" onClick=${leave}>Discard my input and leave the page</button></p>
  </dialog>`;
}
