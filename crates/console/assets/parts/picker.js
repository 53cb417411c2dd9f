// A field that refers to an object by its name. The field searches for the typed text, and the user selects a
// result.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { html } from './html.js';

/** An option that can be selected. @typedef {{id: string, name: string, hint?: string}} Option */
/**
 * A source of options: the options for a text, and the name for an id.
 *
 * @typedef {{search: (text: string) => Promise<Option[]>, nameOf: (id: string) => Promise<string>}} Source
 */

/** Maximum number of search results. */
export const MATCHES = 20;
/** Time without typing before a search begins, in milliseconds. */
const PATIENCE = 150;

/**
 * Returns the options whose names contain a text. Case and accents do not matter.
 *
 * @param {Option[]} options
 * @param {string} text
 */
export function matching(options, text) {
  const folded = (/** @type {string} */ name) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return options.filter((it) => folded(it.name).includes(folded(text))).slice(0, MATCHES);
}

/**
 * Adds ids to the hints of options that otherwise look the same.
 *
 * @param {Option[]} options
 */
function distinguished(options) {
  const areAlike = (/** @type {Option} */ one, /** @type {Option} */ other) => one.name === other.name && one.hint === other.hint;
  return options.map((it) => (options.filter((other) => areAlike(it, other)).length === 1
    ? it : { ...it, hint: it.hint ? `${it.hint} · ${it.id}` : it.id }));
}

/**
 * Returns the options for the typed text as soon as they are known. Options for an earlier text are ignored.
 *
 * @param {Source} source
 * @param {string} text
 * @param {boolean} isOpen
 */
function useOptions(source, text, isOpen) {
  const [found, setFound] = useState({ text: '', options: /** @type {Option[] | undefined} */ (undefined), failed: false });
  useEffect(() => {
    if (!isOpen) return;
    let current = true;
    const timer = setTimeout(() => {
      source.search(text.trim()).then(
        (options) => current && setFound({ text, options: distinguished(options), failed: false }),
        () => current && setFound({ text, options: [], failed: true }),
      );
    }, PATIENCE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [source, text, isOpen]);
  return found.text === text ? found : { options: undefined, failed: false };
}

/**
 * @param {{
 *   id: string, value: string | undefined, source: Source, onChange: (id: string | undefined) => void,
 *   describedBy?: string, invalid?: boolean, required?: boolean, label?: string, isSearch?: boolean,
 * }} props With `isSearch`, the list is open from the beginning, and Enter selects the first result.
 */
export function Picker({ id, value, source, onChange, describedBy, invalid, required, label, isSearch = false }) {
  const list = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(isSearch);
  const [active, setActive] = useState(-1);
  const name = useRef('');
  const { options, failed } = useOptions(source, text === name.current ? '' : text, isOpen);
  useEffect(() => {
    let current = true;
    const show = (/** @type {string} */ known) => {
      if (!current) return;
      name.current = known;
      setText(known);
    };
    if (value) void source.nameOf(value).then(show, () => show(value));
    else if (name.current !== '') show('');
    return () => void (current = false);
  }, [value]);
  const close = () => {
    setOpen(false);
    setActive(-1);
  };
  const choose = (/** @type {Option} */ option) => {
    name.current = option.name;
    setText(option.name);
    onChange(option.id);
    close();
  };
  const type = (/** @type {any} */ event) => {
    setText(event.target.value);
    setOpen(true);
    setActive(-1);
    if (event.target.value.trim() === '') onChange(undefined);
  };
  // A text without a selected option is discarded. The field then shows the stored value.
  const leave = () => {
    if (isSearch) return;
    close();
    if (text.trim() !== '') setText(name.current);
  };
  const shown = options ?? [];
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) return setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive(Math.max(0, Math.min(shown.length - 1, active + step)));
    } else if (isOpen && (event.key === 'Enter' || (event.key === 'Escape' && !isSearch))) {
      event.preventDefault();
      event.stopPropagation();
      const option = shown[active === -1 && (isSearch || shown.length === 1) ? 0 : active];
      if (event.key === 'Enter' && option) choose(option);
      else if (!isSearch && (options || event.key === 'Escape')) close();
    }
  };
  return html`<div class="picker">
    <input id=${id} type="text" role="combobox" autocomplete="off" spellcheck=${false} value=${text} placeholder=${isSearch ? '' : 'Search by name'} aria-label=${label}
      aria-autocomplete="list" aria-expanded=${isOpen && shown.length > 0} aria-controls=${list} aria-describedby=${describedBy} aria-invalid=${invalid}
      aria-required=${required} aria-activedescendant=${active >= 0 ? `${list}-${active}` : null}
      onInput=${type} onClick=${() => setOpen(true)} onBlur=${leave} onKeyDown=${keys} />
    <ul id=${list} role="listbox" aria-label="Results" hidden=${!isOpen || shown.length === 0}>
      ${shown.map((option, index) => html`<li key=${option.id} id=${`${list}-${index}`} role="option" aria-selected=${index === active}
        onMouseDown=${(/** @type {Event} */ event) => { event.preventDefault(); choose(option); }}>
        ${option.name}${option.hint ? html` <span class="hint">${option.hint}</span>` : null}</li>`)}
    </ul>
    <span class="hint" role="status">${isOpen && options?.length === 0 ? (failed ? 'The search failed.' : 'Nothing matches.') : ''}</span>
  </div>`;
}
