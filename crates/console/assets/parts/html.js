// Elements in HTML notation: html`<p class="x">…</p>`. Inserted text is always escaped.
import htm from 'htm';
import { h } from 'preact';

export const html = /** @type {(strings: TemplateStringsArray, ...values: any[]) => import('preact').VNode} */ (
  /** @type {unknown} */ (htm.bind(h))
);
