// A field for a date and a time in the operator's time zone.
import { useId } from 'preact/hooks';
import { Faults } from './fields.js';
import { html } from './html.js';

/** Returns the instant of a local time, as the API reads it. The server rejects any other text. @param {string} local */
export function instant(local) {
  if (local === '') return undefined;
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
}

/** @param {{label: string, value: string, faults?: import('../api/http.js').Fault[], onInput: (value: string) => void}} props */
export function Instant({ label, value, faults = [], onInput }) {
  const id = useId();
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <input id=${id} type="datetime-local" value=${value} aria-invalid=${faults.length > 0} aria-describedby=${`${id}-faults`}
      onInput=${(/** @type {any} */ event) => onInput(event.target.value)} />
    <${Faults} id=${`${id}-faults`} faults=${faults} />
  </div>`;
}
