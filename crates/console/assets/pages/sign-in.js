import { useRef } from 'preact/hooks';
import { useAction } from '../api/load.js';
import { signIn } from '../client/session.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';

export function SignIn() {
  const { busy, error, run } = useAction();
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const input = field.current;
    const key = input?.value.trim() ?? '';
    if (!input || key === '') return;
    // The key does not stay in the page, whether or not it was right.
    input.value = '';
    await run(() => signIn(key));
    input.focus();
  };
  return html`<form class="sign-in" onSubmit=${submit}>
    <h1>Payroll console</h1>
    <label for="key">Operator key</label>
    <input id="key" ref=${field} type="password" autocomplete="off" spellcheck=${false} required autofocus
      aria-describedby="key-hint" />
    <p class="hint" id="key-hint">
      It begins with <code>opk_</code>. The demo prints one; a new one is made by
      <code>payroll-server operator-key create NAME</code>. It is exchanged for a session that ends after ten hours.
    </p>
    <${Failed} error=${error} />
    <button type="submit" class="primary" disabled=${busy}>Sign in</button>
  </form>`;
}
