import { useRef } from 'preact/hooks';
import { hasExpired } from '../api/expiry.js';
import { useAction } from '../api/load.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { signIn } from './client.js';

export function SignIn() {
  const { busy, error, run } = useAction();
  const key = useRef(/** @type {HTMLInputElement | null} */ (null));
  const secret = useRef(/** @type {HTMLInputElement | null} */ (null));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const [id, value] = [key.current?.value.trim() ?? '', secret.current?.value.trim() ?? ''];
    if (id === '' || value === '' || !secret.current) return;
    // The page does not keep the secret, whether it was valid or not.
    secret.current.value = '';
    if (!(await run(() => signIn(id, value)))) secret.current?.focus();
  };
  return html`<form class="sign-in" onSubmit=${submit}>
    <h1>Payroll portal</h1>
    ${hasExpired() && !error
      ? html`<p class="warned" role="status">Your access token has expired. Sign in again to continue with your page and your input.</p>`
      : null}
    <label for="key">API key</label>
    <input id="key" ref=${key} autocomplete="off" spellcheck=${false} required autofocus />
    <label for="secret">Secret</label>
    <input id="secret" ref=${secret} type="password" autocomplete="off" spellcheck=${false} required aria-describedby="secret-hint" />
    <p class="hint" id="secret-hint">
      Enter the API key (<code>pkc_…</code>) and a secret (<code>pks_…</code>) of your application. This page exchanges them for an
      access token and keeps the token until you close or reload the page. The secret is not stored.
    </p>
    <${Failed} error=${error} />
    <button type="submit" class="primary" disabled=${busy}>Sign in</button>
  </form>`;
}
