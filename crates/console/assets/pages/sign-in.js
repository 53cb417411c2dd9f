// Signs an operator in with an operator key, or with the identity provider of the company.
import { useRef } from 'preact/hooks';
import { hasExpired } from '../api/expiry.js';
import { useAction } from '../api/load.js';
import { ApiError } from '../client/client.js';
import { singleSignOn } from '../client/server.js';
import { failedSignIn, signIn } from '../client/session.js';
import { Failed } from '../parts/feedback.js';
import { html } from '../parts/html.js';

/** Why a sign-in with the identity provider failed, by the result in the address. @type {Record<string, string>} */
const FAILURES = {
  denied: 'The sign-in was cancelled.',
  unavailable: 'The identity provider cannot be reached. Try again later, or sign in with a key.',
  rejected: 'The identity provider did not confirm the sign-in. Try again. The log of the server has the cause.',
  'no-role': 'None of your groups has a role on this server. Ask an administrator to map one of them (setting oidc_roles).',
  'no-name': 'The identity provider sends no verified name for you. Ask an administrator to check the setting oidc_name_claim.',
  'no-companies': 'Your identity does not name the companies that you work for. Ask an administrator of the provider (setting oidc_company_claim).',
  'name-taken': 'Another operator has your name, or one that looks the same. Ask an administrator.',
  expired: 'The sign-in took longer than ten minutes, or it started in another browser. Try again.',
  'too-many': 'Too many sign-ins failed. Wait a minute, then try again.',
};

/** The sign-in with the identity provider. */
function SingleSignOn() {
  const failure = failedSignIn();
  if (singleSignOn === '') return null;
  return html`
    ${failure !== '' ? html`<div class="failed" role="alert"><p>${FAILURES[failure] ?? FAILURES.rejected}</p></div>` : null}
    <a class="button primary" href="/sign-in" target=${hasExpired() ? '_blank' : '_self'}>Sign in with ${singleSignOn}</a>
    <p class="hint">Or sign in with an operator key:</p>`;
}

export function SignIn() {
  const { busy, error, run } = useAction();
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const input = field.current;
    const key = input?.value.trim() ?? '';
    if (!input || key === '') return;
    // The page does not keep the key, whether it was valid or not.
    input.value = '';
    await run(() => signIn(key));
    input.focus();
  };
  const isUnknown = error instanceof ApiError && error.errors.some((fault) => fault.code === 'API-102');
  return html`<form class="sign-in" onSubmit=${submit}>
    <h1>Payroll console</h1>
    ${hasExpired() && !error
      ? html`<p class="warned" role="status">Your session has expired. Sign in again to continue with your page and your input.</p>`
      : null}
    <${SingleSignOn} />
    <input class="unseen" type="text" name="username" autocomplete="username" value="operator" readonly tabindex="-1" aria-hidden="true" />
    <label for="key">Operator key</label>
    <input id="key" ref=${field} type="password" autocomplete="current-password" spellcheck=${false} required autofocus
      aria-describedby="key-hint" />
    <p class="hint" id="key-hint">
      The key begins with <code>opk_</code>. The demo prints a key. On other servers, create the first key with${' '}
      <code>payroll-server operator-key create NAME</code>. You stay signed in for ten hours.
    </p>
    ${isUnknown
      ? html`<div class="failed" role="alert"><p><strong>The server does not know this key.</strong> Check that you have entered the complete key. It may also have been revoked or have expired.
          <span class="hint">API-102, request <code>${/** @type {ApiError} */ (error).requestId}</code></span></p></div>`
      : html`<${Failed} error=${error} />`}
    <button type="submit" class="primary" disabled=${busy}>Sign in</button>
  </form>`;
}
