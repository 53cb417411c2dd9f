// Elements in HTML notation: html`<p class="x">…</p>`. Inserted text is always escaped, and does not change the
// direction of the text around it.
import htm from 'htm';
import { h } from 'preact';

/** Matches a text that is written from right to left, or has a character that changes the direction (UAX #9). */
const DIRECTED = /[\p{Bidi_Control}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Returns a text that does not change the direction of the text around it. Use it for a name in a sentence that
 * is one string, such as the title of a dialog. `html` isolates each inserted string by itself.
 *
 * @param {string} text
 */
export function isolated(text) {
  return DIRECTED.test(text) ? `\u2068${text}\u2069` : text;
}

/** @param {any} value @returns {any} */
function isolatedChild(value) {
  if (Array.isArray(value)) return value.map(isolatedChild);
  // Most texts need no element of their own.
  return typeof value === 'string' && DIRECTED.test(value) ? h('bdi', null, value) : value;
}

/** For each template, whether its values are children of elements. @type {WeakMap<TemplateStringsArray, boolean[]>} */
const children = new WeakMap();

/** Returns for each value of a template whether it is a child, and not part of a tag. @param {TemplateStringsArray} strings */
function areChildren(strings) {
  let quote = '';
  let isTag = false;
  return strings.map((text) => {
    for (const character of text) {
      if (quote !== '') quote = character === quote ? '' : quote;
      else if (isTag && (character === '"' || character === "'")) quote = character;
      else if (character === '<') isTag = true;
      else if (character === '>') isTag = false;
    }
    return !isTag;
  });
}

const build = /** @type {(strings: TemplateStringsArray, ...values: any[]) => import('preact').VNode} */ (
  /** @type {unknown} */ (htm.bind(h))
);

/** @param {TemplateStringsArray} strings @param {any[]} values */
export function html(strings, ...values) {
  const are = children.get(strings) ?? areChildren(strings);
  children.set(strings, are);
  return build(strings, ...values.map((value, index) => (are[index] ? isolatedChild(value) : value)));
}
