// What codes mean, in the words of the server's table.
import { useLoad } from '../api/load.js';
import { html } from '../parts/html.js';

/** @typedef {{code: string, status: number, summary: string, resolution?: string}} Words */

/** @type {Promise<Words[]> | undefined} */
let table;

/** The table, which is loaded once. @returns {Promise<Words[]>} */
function codes() {
  table ??= fetch(new URL('codes.json', document.baseURI)).then((response) => response.json());
  return table;
}

/** The table; empty until it is there. */
export function useCodes() {
  return useLoad(codes, []).value ?? [];
}

/**
 * The codes of a response, explained. A code has several meanings where it comes with several statuses; in a
 * response with the faults of several it is reported under the status of another one.
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
