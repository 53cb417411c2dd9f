// Messages of a page while it loads, when a list is empty, and after a failure.
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/http.js';
import { html } from './html.js';

/** Delay in milliseconds before the loading message appears, so that fast responses do not flicker. */
const PATIENCE = 200;

/** @param {{what: string}} props */
export function Loading({ what }) {
  const [shown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), PATIENCE);
    return () => clearTimeout(timer);
  }, []);
  return html`<p class="loading" role="status">${shown ? `Loading ${what} …` : '\u00a0'}</p>`;
}

/** @param {{title: string, children?: any}} props */
export function Empty({ title, children }) {
  return html`<div class="empty"><p><strong>${title}</strong></p>${children}</div>`;
}

/** Shows the failure with its codes and the id of the request. @param {{error: unknown}} props */
export function Failed({ error }) {
  if (!error) return null;
  if (!(error instanceof ApiError)) {
    return html`<div class="failed" role="alert">
      <p><strong>The server cannot be reached. Check your connection and try again.</strong> ${error instanceof Error ? error.message : ''}</p>
    </div>`;
  }
  return html`<div class="failed" role="alert">
    <ul>
      ${error.errors.map(
        (one) => html`<li>
          <strong>${one.code}</strong> ${one.description}
          ${one.pointer ? html` <code>${one.pointer}</code>` : null}
          ${one.resolution ? html`<br /><span class="hint">${one.resolution}</span>` : null}
        </li>`,
      )}
      ${error.errors.length === 0 ? html`<li>The server responded with status ${error.status}.</li>` : null}
    </ul>
    ${error.retryAfter ? html`<p class="hint">Try again in ${error.retryAfter} seconds.</p>` : null}
    <p class="hint">Request <code class="id">${error.requestId}</code></p>
  </div>`;
}

/**
 * Shows the page of a loaded value, or a message until the value is available.
 *
 * @template Value
 * @param {{of: {value: Value | undefined, error: unknown}, what: string, children: (value: Value) => any}} props
 */
export function Loaded({ of, what, children }) {
  if (of.error) return html`<${Failed} error=${of.error} />`;
  if (of.value === undefined) return html`<${Loading} what=${what} />`;
  return children(of.value);
}
