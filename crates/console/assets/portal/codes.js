// The meanings of codes, from the server's table.
import { useLoad } from '../api/load.js';
import { html } from '../parts/html.js';

/** @typedef {{code: string, status: number, summary: string, resolution?: string}} Words */

/** @type {Promise<Words[]> | undefined} */
let table;

/** Returns the table, which is loaded once. @returns {Promise<Words[]>} */
function codes() {
  table ??= fetch(new URL('codes.json', document.baseURI)).then((response) => response.json());
  return table;
}

/** Returns the table, or an empty list until it is loaded. */
export function useCodes() {
  return useLoad(codes, []).value ?? [];
}

/**
 * Explains the codes of a response. A code has several meanings if it occurs with several statuses. A
 * response with several faults can report a code under the status of another fault.
 *
 * @param {{codes: readonly string[], status: number, table: Words[]}} props
 */
export function Explained({ codes: named, status, table: words }) {
  if (named.length === 0) return '–';
  return html`<ul class="plain">
    ${named.map((code) => {
      const all = words.filter((it) => it.code === code);
      const fitting = all.filter((it) => it.status === status);
      const meanings = fitting.length > 0 ? fitting : all;
      return html`<li><strong>${code}</strong> ${meanings.map((it) => it.summary).join('; or ')}.
        ${meanings.map((it) => (it.resolution ? html` <span class="hint">${it.resolution}</span>` : null))}</li>`;
    })}
  </ul>`;
}
