// A name with its id: the name first, the id in small print, and a button that copies the id.
import { useState } from 'preact/hooks';
import { html } from './html.js';
import { Icon } from './icons.js';

/** Time in milliseconds for which the button shows that the text was copied. */
const SAID = 2000;

/**
 * A secret that is shown only once, with a button that copies it.
 *
 * @param {{what: string, value: string, done: () => void, children?: any}} props
 */
export function OnceShown({ what, value, done, children }) {
  return html`<div class="warned">
    <p><strong>Copy the ${what} now.</strong> It is shown only once.</p>
    <p class="secret"><${Copied} value=${value} what=${what} /></p>
    ${children}
    <p><button type="button" onClick=${done}>I have copied it</button></p>
  </div>`;
}

/** A text with a button that copies it. @param {{value: string | undefined, what?: string}} props */
export function Copied({ value, what = 'id' }) {
  const [copied, setCopied] = useState(false);
  if (!value) return html`<span class="nothing">–</span>`;
  const copy = async () => {
    await navigator.clipboard?.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), SAID);
  };
  return html`<span class="copied"><code class="id">${value}</code>
    <button type="button" class="icon" title=${`Copy ${what}`} aria-label=${`Copy ${what} ${value}`} onClick=${copy}>
      <${Icon} name=${copied ? 'check' : 'copy'} /></button></span>`;
}
