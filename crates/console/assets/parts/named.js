// Names with their ids: the name first, the id small, with a button that copies it.
import { useState } from 'preact/hooks';
import { html } from './html.js';
import { Icon } from './icons.js';

/** Milliseconds for which the button says that the id is copied. */
const SAID = 2000;

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
