// The dialog that registers the public key of an application.
import { useState } from 'preact/hooks';
import { api, idempotencyKey, one } from '../client/client.js';
import { useAction } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { html } from '../parts/html.js';

/** @param {{applicationId: string, replaces: string | undefined, done: () => void, close: () => void}} props */
export function PublicKeyDialog({ applicationId, replaces, done, close }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const { busy, error, run } = useAction();
  const register = async () => {
    /** @type {any} */
    let publicKey;
    try {
      publicKey = JSON.parse(text);
    } catch {
      setProblem('The text is not JSON. Paste the public key as a JSON web key, such as {"kty": "OKP", …}.');
      return;
    }
    setProblem('');
    const registered = await run(() => one(api.POST('/operator/v1/applications/{applicationId}/secrets', {
      params: { path: { applicationId }, header: { 'Idempotency-Key': idempotencyKey() } }, body: { publicKey },
    })));
    if (registered) done();
  };
  return html`<${Dialog} title="Register a public key" confirm="Register" danger=${replaces !== undefined} busy=${busy} error=${error}
    onConfirm=${register} onClose=${close}>
    <p>The application signs its token requests with the private key and sends no secret.
      ${replaces ? html` An application has at most two secrets or keys. The older one, <code>${replaces}</code>, stops working immediately.` : null}</p>
    <label for="public-key">Public key (JSON web key)</label>
    <textarea id="public-key" rows="6" spellcheck=${false} value=${text} aria-describedby="public-key-problem"
      onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea>
    <p id="public-key-problem" role="alert">${problem}</p>
  <//>`;
}
