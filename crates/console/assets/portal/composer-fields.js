// The fields of the composer, each with its faults.
import { useId } from 'preact/hooks';
import { html } from '../parts/html.js';

/** @typedef {import('../api/http.js').Fault} Fault */

/** The faults of a field, for display and for screen readers. @param {{id: string, faults: readonly Fault[]}} props */
export function Faults({ id, faults }) {
  return html`<span id=${id} class="faults">
    ${faults.map((fault) => html`<span><strong>${fault.code}</strong> ${fault.description}</span>`)}
  </span>`;
}

/**
 * @param {{label: string, value: string, faults?: readonly Fault[], onInput: (value: string) => void, list?: string,
 *   size?: number, inputmode?: string}} props
 */
export function Field({ label, value, faults = [], onInput, list, size = 20, inputmode = 'text' }) {
  const id = useId();
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <input id=${id} value=${value} size=${size} list=${list} autocomplete="off" spellcheck=${false} inputmode=${inputmode}
      aria-invalid=${faults.length > 0 ? 'true' : null} aria-describedby=${`${id}-faults`}
      onInput=${(/** @type {any} */ event) => onInput(event.target.value)} />
    <${Faults} id=${`${id}-faults`} faults=${faults} />
  </div>`;
}

/**
 * A selection from a list. If the list is longer than the number of offered options, the user types the id.
 *
 * @template Item
 * @param {{
 *   label: string, value: string, list: {items: readonly Item[], total: number} | undefined, offered: number,
 *   faults?: readonly Fault[], onChange: (value: string) => void, option: (item: Item) => [string, string],
 * }} props `option` returns the id and the text of an element
 */
export function Choice({ label, value, list, offered, faults = [], onChange, option }) {
  const id = useId();
  const options = (list?.items ?? []).map(option);
  if (list && list.total > offered) {
    return html`<${Field} label=${`${label} (its id)`} value=${value} faults=${faults} onInput=${onChange} list=${`${id}-list`} />
      <datalist id=${`${id}-list`}>${options.map(([key, words]) => html`<option value=${key}>${words}</option>`)}</datalist>`;
  }
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <select id=${id} aria-invalid=${faults.length > 0 ? 'true' : null} aria-describedby=${`${id}-faults`}
      disabled=${list === undefined} onChange=${(/** @type {any} */ event) => onChange(event.target.value)}>
      <option value="" selected=${value === ''}>${list && options.length === 0 ? 'there is none' : '…'}</option>
      ${options.map(([key, words]) => html`<option value=${key} selected=${key === value}>${words}</option>`)}
    </select>
    <${Faults} id=${`${id}-faults`} faults=${faults} />
  </div>`;
}
