// Values in the format of the reader's locale. A copied value has the server's format.
import { html } from './html.js';

const locale = navigator.language;
/** The digits of all values. Some values, such as ids, are shown as the server sends them: with these digits. */
const DIGITS = /** @type {const} */ ({ numberingSystem: 'latn' });
/** The calendar of all dates. The dates in forms and in files of the server have the same calendar. */
const CALENDAR = /** @type {const} */ ({ ...DIGITS, calendar: 'gregory' });
const dates = new Intl.DateTimeFormat(locale, { ...CALENDAR, dateStyle: 'medium', timeZone: 'UTC' });
const instants = new Intl.DateTimeFormat(locale, { ...CALENDAR, dateStyle: 'medium', timeStyle: 'medium' });
const counts = new Intl.NumberFormat(locale, DIGITS);

/** Formats a whole number for the reader's locale. @param {number} value */
export function countText(value) {
  return counts.format(value);
}

/**
 * Formats a decimal for the reader's locale digit by digit, because a floating-point number would round it.
 *
 * @param {string} text
 * @param {number} [fewest] the minimum number of digits after the point
 */
export function decimalText(text, fewest = 2) {
  const [, sign = '', whole = '0', , fraction = ''] = /^(-?)(\d+)(\.(\d+))?$/.exec(text) ?? [];
  if (whole === '0' && !text.startsWith('0') && !text.startsWith('-0')) return text;
  const groups = counts.format(BigInt(whole));
  const point = counts.formatToParts(1.5).length > 1 ? decimalPoint : '.';
  const digits = fraction.padEnd(fewest, '0');
  return `${sign === '-' ? '\u2212' : ''}${groups}${digits === '' ? '' : point}${digits}`;
}

const decimalPoint =
  new Intl.NumberFormat(locale, { ...DIGITS, minimumFractionDigits: 1 })
    .formatToParts(1.5)
    .find((part) => part.type === 'decimal')?.value ?? '.';

/** @param {{value: string | undefined}} props */
export function Money({ value }) {
  if (value === undefined) return html`<span class="nothing">–</span>`;
  const negative = value.startsWith('-') ? 'money negative' : 'money';
  return html`<data class=${negative} value=${value}>${decimalText(value)}</data>`;
}

/** Hours or units, with as many digits as the server sends. @param {{value: string | undefined}} props */
export function Quantity({ value }) {
  if (value === undefined) return html`<span class="nothing">–</span>`;
  return html`<data value=${value}>${decimalText(value, 0)}</data>`;
}

/** @param {{value: number | undefined}} props */
export function Count({ value }) {
  if (value === undefined) return html`<span class="nothing">–</span>`;
  return html`<data value=${String(value)}>${counts.format(value)}</data>`;
}

/** Formats a date without a time of day. @param {string} value */
export function dayText(value) {
  return dates.format(new Date(value));
}

/** A date without a time of day. @param {{value: string | undefined}} props */
export function Day({ value }) {
  if (!value) return html`<span class="nothing">–</span>`;
  return html`<time datetime=${value}>${dayText(value)}</time>`;
}

/** A date with a time of day. @param {{value: string | undefined}} props */
export function When({ value }) {
  if (!value) return html`<span class="nothing">–</span>`;
  return html`<time datetime=${value} title=${value}>${instants.format(new Date(value))}</time>`;
}

/** Formats two days as a range. @param {string} first @param {string} last */
export function dayRange(first, last) {
  return dates.formatRange(new Date(first), new Date(last));
}

/**
 * Returns the title of a pay period: its description, or its first and last day.
 *
 * @param {{description?: string, startDate: string, endDate: string}} period
 */
export function periodTitle({ description, startDate, endDate }) {
  return description ?? dayRange(startDate, endDate);
}

/** @param {{value: string | undefined}} props */
export function Id({ value }) {
  return html`<code class="id">${value ?? '–'}</code>`;
}

/** Returns a word of the interface, such as WORKER_MISSING, in readable form. @param {string} word */
export function plain(word) {
  return word.toLowerCase().replaceAll('_', ' ');
}

/** Returns a word of the API in readable form: `BI_WEEKLY` is "Bi weekly". @param {string} word */
export function choiceText(word) {
  const text = plain(word).trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {{value: string, kind?: string}} props */
export function Status({ value, kind }) {
  return html`<span class=${`status ${kind ?? value.toLowerCase()}`}>${plain(value)}</span>`;
}

/** Makes copied values have the server's format, not the format of the locale. */
export function copyExactly() {
  document.addEventListener('copy', (event) => {
    const selection = document.getSelection();
    if (!selection || selection.rangeCount === 0 || !event.clipboardData) return;
    const range = selection.getRangeAt(0);
    const within = range.commonAncestorContainer.parentElement?.closest('data[value], time[datetime]');
    if (within) {
      event.clipboardData.setData('text/plain', exact(within));
      event.preventDefault();
      return;
    }
    const copied = range.cloneContents();
    const values = copied.querySelectorAll('data[value], time[datetime]');
    if (values.length === 0) return;
    for (const value of values) value.textContent = exact(value);
    const rows = [...copied.querySelectorAll('tr')];
    const text = (/** @type {Element} */ row) => [...row.children].map((cell) => cell.textContent?.trim()).join('\t');
    event.clipboardData.setData('text/plain', rows.length > 0 ? rows.map(text).join('\n') : copied.textContent ?? '');
    event.preventDefault();
  });
}

/** @param {Element} element */
function exact(element) {
  return element.getAttribute('value') ?? element.getAttribute('datetime') ?? '';
}
