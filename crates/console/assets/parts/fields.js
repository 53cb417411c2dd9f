// The fields of a form, each with its label, help text and faults. The document omits empty values.
import { useId } from 'preact/hooks';
import { html } from './html.js';
import { choiceText, countText } from './values.js';
import { hasFaults } from './faults.js';
import { Picker } from './picker.js';

/** @typedef {import('./schema.js').Field} Field */
/** @typedef {import('./faults.js').Placed} Placed */
/**
 * The properties that all fields of a form share.
 *
 * `sourceOf` returns where the ids of a member can be searched, if the member refers to another object. `ownId`
 * is the member with the id of the object itself.
 *
 * @typedef {{placed: Placed, ownId: string,
 *   sourceOf: (name: string, ownId: string) => import('./picker.js').Source | undefined}} Shared
 */
/** @typedef {{field: Field, pointer: string, value: any, onChange: (value: any) => void, shared: Shared}} Props */

/** Shows the faults of a field. @param {{id?: string, faults: import('../api/http.js').Fault[]}} props */
export function Faults({ id, faults }) {
  return html`<span class="faults" id=${id}>${faults.map((fault) => html`<span><strong>${fault.code}</strong> ${fault.description}</span>`)}</span>`;
}

/**
 * Converts a text to a number if the browser formats the number in the same way. Any other text remains a
 * text, which the server rejects.
 *
 * @param {string} text
 */
function exactNumber(text) {
  const number = Number(text);
  return text.trim() !== '' && String(number) === text.trim() ? number : text;
}

/** @param {Props} props */
export function FieldInput(props) {
  switch (props.field.kind) {
    case 'object': return html`<${ObjectField} ...${props} />`;
    case 'list': return html`<${ListField} ...${props} />`;
    case 'choices': return html`<${ChoicesField} ...${props} />`;
    case 'flag': return html`<${FlagField} ...${props} />`;
    default: return html`<${LeafField} ...${props} />`;
  }
}

/** Shows the fields of an object. The object omits empty fields. @param {Props & {fields: Field[]}} props */
export function MemberFields({ fields, pointer, value, onChange, shared }) {
  const change = (/** @type {string} */ name) => (/** @type {any} */ member) => {
    const { [name]: _, ...others } = value ?? {};
    const next = member === undefined ? others : { ...value, [name]: member };
    onChange(pointer !== '' && Object.keys(next).length === 0 ? undefined : next);
  };
  return fields.map((field) => html`<${FieldInput} key=${field.name} field=${field} pointer=${`${pointer}/${field.name}`}
    value=${value?.[field.name] ?? undefined} onChange=${change(field.name)} shared=${shared} />`);
}

/** @param {Props} props */
function LeafField({ field, pointer, value, onChange, shared }) {
  const id = useId();
  const faults = shared.placed.get(pointer) ?? [];
  const described = `${id}-help ${id}-faults`;
  const source = field.kind === 'text' ? shared.sourceOf(field.name, pointer.lastIndexOf('/') === 0 ? shared.ownId : '') : undefined;
  const common = { id, 'aria-describedby': described, 'aria-invalid': faults.length > 0, 'aria-required': field.required };
  const type = (/** @type {any} */ event) => {
    const text = event.target.value;
    if (text === '') onChange(undefined);
    else onChange(field.kind === 'integer' || field.kind === 'number' ? exactNumber(text) : text);
  };
  return html`<div class="field">
    <label for=${id}>${source ? field.label.replace(/ ID$/, '') : field.label}${field.required ? null : html` <span class="optional">(optional)</span>`}</label>
    ${source
      ? html`<${Picker} id=${id} value=${value} source=${source} onChange=${onChange} describedBy=${described} invalid=${faults.length > 0} required=${field.required} />`
      : field.kind === 'choice'
        ? html`<select ...${common} value=${value ?? ''} onChange=${type}>
            <option value="" selected=${value === undefined}>${emptyChoice(field)}</option>
            ${field.choices.map((word) => html`<option value=${word} selected=${value === word}>${choiceText(word)}</option>`)}
          </select>`
        : html`<input ...${common} type=${field.kind === 'day' ? 'date' : field.isSecret ? 'password' : 'text'} autocomplete="off" maxlength=${field.maxLength}
            inputmode=${['decimal', 'number'].includes(field.kind) ? 'decimal' : field.kind === 'integer' ? 'numeric' : null}
            value=${field.kind === 'day' ? String(value ?? '').slice(0, 10) : value ?? ''} onInput=${type} />`}
    <span class="hint" id=${`${id}-help`}>${helpOf(field)}</span>
    <${Faults} id=${`${id}-faults`} faults=${faults} />
  </div>`;
}

/** Returns the text of the choice that the document omits. @param {Field} field */
function emptyChoice({ required, standard }) {
  if (required) return 'Choose …';
  return typeof standard === 'string' ? `Default: ${choiceText(standard)}` : 'None';
}

/** Returns the help text of a field with its limits. @param {Field} field */
function helpOf({ help, minimum, maximum, isServerId }) {
  const limits = minimum !== undefined && maximum !== undefined ? ` ${minimum} to ${countText(maximum)}.` : '';
  return isServerId ? `${help} The server creates one if you leave this empty.` : `${help}${limits}`;
}

/** @param {Props} props */
function FlagField({ field, pointer, value, onChange, shared }) {
  const id = useId();
  const faults = shared.placed.get(pointer) ?? [];
  return html`<div class="field">
    <label class="flag"><input id=${id} type="checkbox" checked=${value === true} aria-describedby=${`${id}-help ${id}-faults`}
      onChange=${(/** @type {any} */ event) => onChange(event.target.checked)} /> ${field.label}</label>
    <span class="hint" id=${`${id}-help`}>${field.help}</span>
    <${Faults} id=${`${id}-faults`} faults=${faults} />
  </div>`;
}

/** @param {Props} props */
function ChoicesField({ field, pointer, value, onChange, shared }) {
  const id = useId();
  const chosen = /** @type {string[]} */ (value ?? []);
  const toggle = (/** @type {string} */ word) => {
    const next = chosen.includes(word) ? chosen.filter((it) => it !== word) : [...chosen, word];
    onChange(next.length === 0 ? undefined : next);
  };
  return html`<fieldset class="field" aria-describedby=${`${id}-faults`}>
    <legend>${field.label}${field.required ? null : html` <span class="optional">(optional)</span>`}</legend>
    <span class="hint">${field.help}</span>
    ${field.choices.map((word) => html`<label class="flag"><input type="checkbox" checked=${chosen.includes(word)} onChange=${() => toggle(word)} /> ${choiceText(word)}</label>`)}
    <${Faults} id=${`${id}-faults`} faults=${shared.placed.get(pointer) ?? []} />
  </fieldset>`;
}

/** @param {Props} props */
function ObjectField(props) {
  const { field, pointer, value, shared } = props;
  const fields = field.members.filter((it) => !it.isServerId);
  const content = html`<span class="hint">${field.help}</span>
    <${Faults} faults=${shared.placed.get(pointer) ?? []} />
    <div class="form"><${MemberFields} ...${props} fields=${fields} /></div>`;
  if (field.required) return html`<fieldset class="wide"><legend>${field.label}</legend>${content}</fieldset>`;
  return html`<details class="wide" open=${value !== undefined || hasFaults(shared.placed, pointer)}>
    <summary>${field.label} <span class="optional">(optional)</span></summary>${content}
  </details>`;
}

/** @param {Props} props */
function ListField({ field, pointer, value, onChange, shared }) {
  const items = /** @type {any[]} */ (value ?? []);
  const item = field.item;
  if (!item) return null;
  const set = (/** @type {number} */ index) => (/** @type {any} */ changed) => {
    const next = [...items];
    next[index] = changed ?? (item.kind === 'object' ? {} : '');
    onChange(next);
  };
  const remove = (/** @type {number} */ index) => {
    const next = items.filter((_, at) => at !== index);
    onChange(next.length === 0 ? undefined : next);
  };
  const fields = item.members.filter((it) => !it.isServerId);
  return html`<details class="wide" open=${items.length > 0 || hasFaults(shared.placed, pointer)}>
    <summary>${field.label} <span class="optional">(optional)</span></summary>
    <span class="hint">${field.help}</span>
    <${Faults} faults=${shared.placed.get(pointer) ?? []} />
    ${items.map((element, index) => html`<fieldset class="wide"><legend>${field.label} ${index + 1}</legend>
      <${Faults} faults=${shared.placed.get(`${pointer}/${index}`) ?? []} />
      <div class="form">${item.kind === 'object'
        ? html`<${MemberFields} field=${item} fields=${fields} pointer=${`${pointer}/${index}`} value=${element} onChange=${set(index)} shared=${shared} />`
        : html`<${FieldInput} field=${item} pointer=${`${pointer}/${index}`} value=${element} onChange=${set(index)} shared=${shared} />`}</div>
      <button type="button" class="quiet" onClick=${() => remove(index)}>Remove</button>
    </fieldset>`)}
    <p><button type="button" onClick=${() => onChange([...items, item.kind === 'object' ? {} : ''])}>Add to ${field.label.toLowerCase()}</button></p>
  </details>`;
}
