// The signing secret of a hook, which the API returns only when it creates the secret.
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../parts/html.js';
import { OnceShown } from '../parts/named.js';

/**
 * @param {{hook: import('./client.js').Schemas['Hook'], done: () => void, children?: any}} props `children` are shown below the
 *   secret
 */
export function NewSecret({ hook, done, children }) {
  const section = useRef(/** @type {HTMLElement | null} */ (null));
  // The dialog with the focus has closed. The focus moves here, so that a screen reader reads this section
  // next.
  useEffect(() => section.current?.focus(), [hook.signingSecret]);
  return html`<section ref=${section} tabindex="-1" aria-label="New signing secret">
    <${OnceShown} what="signing secret" value=${hook.signingSecret ?? ''} done=${done}>
      <p>Your receiver needs the secret to verify the signatures of notifications of the hook <code>${hook.hookId}</code>. Copy the secret now, because it is never shown again. If you lose it, rotate the secret.</p>
      ${children}
    <//>
  </section>`;
}
