// Elements as they are written: html`<p class="x">…</p>`. Text in them is text, whatever it contains.
import htm from 'htm';
import { h } from 'preact';

export const html = /** @type {(strings: TemplateStringsArray, ...values: any[]) => import('preact').VNode} */ (
  /** @type {unknown} */ (htm.bind(h))
);
