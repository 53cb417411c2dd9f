// A line of a composed check: the component, and the hours, units or amount.
import { useId } from 'preact/hooks';
import { html, isolated } from '../parts/html.js';
import { plain } from '../parts/values.js';
import { Choice, Faults, Field } from './composer-fields.js';

/** @typedef {import('./composer-document.js').Line} Line */
/** @typedef {import('../api/http.js').Fault} Fault */
/** @typedef {import('./client.js').Schemas['PayComponent']} Component */

/** The units of a line and their labels. */
const BY = /** @type {const} */ ([['payHours', 'Hours'], ['payUnits', 'Units'], ['payAmount', 'Amount']]);

/**
 * @param {{
 *   number: number, line: Line, at: (field: string) => Fault[], components: {items: Component[], total: number} | undefined,
 *   offered: number, onChange: (part: Partial<Line>) => void, onRemove: (() => void) | undefined,
 * }} props
 */
export function ComposedLine({ number, line, at, components, offered, onChange, onRemove }) {
  const id = useId();
  const words = BY.find(([name]) => name === line.by)?.[1] ?? '';
  return html`<fieldset aria-describedby=${`${id}-faults`}>
    <legend>Line ${number}</legend>
    <div class="filters">
      <${Choice} label="Pay component" value=${line.componentId} list=${components} offered=${offered} faults=${at('componentId')}
        onChange=${(/** @type {string} */ componentId) => onChange({ componentId })}
        option=${(/** @type {Component} */ it) => [it.componentId, `${isolated(it.name)} (${plain(it.effectOnPay)})`]} />
      <div class="field"><label for=${id}>Paid by</label>
        <select id=${id} onChange=${(/** @type {any} */ event) => onChange({ by: event.target.value })}>
          ${BY.map(([name, title]) => html`<option value=${name} selected=${name === line.by}>${title}</option>`)}
        </select></div>
      <${Field} label=${words} value=${line.quantity} faults=${at('quantity')} size=${10} inputmode="decimal"
        onInput=${(/** @type {string} */ quantity) => onChange({ quantity })} />
      <${Field} label="Rate (default: the worker's rate)" value=${line.payRate} faults=${at('payRate')} size=${10} inputmode="decimal"
        onInput=${(/** @type {string} */ payRate) => onChange({ payRate })} />
      ${onRemove ? html`<button type="button" class="quiet" onClick=${onRemove}>Remove line ${number}</button>` : null}
    </div>
    <${Faults} id=${`${id}-faults`} faults=${at('line')} />
  </fieldset>`;
}
