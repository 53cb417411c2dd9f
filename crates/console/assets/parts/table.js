// A table with few rows.
import { Empty } from './feedback.js';
import { html } from './html.js';

/**
 * @template Item
 * @param {{
 *   label: string, items: readonly Item[], columns: import('./windowed.js').Column<Item>[], empty: any,
 * }} props
 */
export function Table({ label, items, columns, empty }) {
  if (items.length === 0) return typeof empty === 'string' ? html`<${Empty} title=${empty} />` : empty;
  return html`<div class="scrolled" tabindex="0" role="region" aria-label=${label}>
    <table>
      <thead>
        <tr>
          ${columns.map(({ title, number }) => html`<th scope="col" class=${number ? 'number' : ''}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${items.map(
          (item) => html`<tr>
            ${columns.map(({ cell, number }) => html`<td class=${number ? 'number' : ''}>${cell(item)}</td>`)}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/**
 * Shows the names and values of one object.
 *
 * @param {{pairs: [string, any][]}} props
 */
export function Facts({ pairs }) {
  return html`<dl class="facts">
    ${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? '–'}</dd></div>`)}
  </dl>`;
}
