// Converts the composer's fields into the document to send, and assigns faults to their fields.
import { ApiError } from '../api/http.js';

/** @typedef {{componentId: string, by: 'payHours' | 'payUnits' | 'payAmount', quantity: string, payRate: string}} Line */
/** @typedef {{companyId: string, payPeriodId: string, workerId: string, correlationId: string, lines: Line[]}} Draft */
/** @typedef {import('../api/http.js').Fault} Fault */
/** @typedef {import('./client.js').Schemas['CheckInput']} Check */
/** @typedef {import('./client.js').Schemas['EffectOnPay']} Effect */

/** Returns a line without any input. @returns {Line} */
export function emptyLine() {
  return { componentId: '', by: 'payHours', quantity: '', payRate: '' };
}

/**
 * Returns the member of a check that contains the lines of a component.
 *
 * @param {Effect | undefined} effect
 * @returns {'earnings' | 'deductions' | 'informational'}
 */
function memberOf(effect) {
  if (effect === 'REDUCTION') return 'deductions';
  return effect === 'EMPLOYER_INFORMATIONAL' ? 'informational' : 'earnings';
}

/**
 * Returns the document, and the pointer of each field. The document omits empty fields.
 *
 * @param {Draft} draft
 * @param {(componentId: string) => Effect | undefined} effectOf
 * @returns {{checks: Check[], places: Map<string, string>}} `places` contains the field's name by its pointer
 */
export function composed(draft, effectOf) {
  const places = new Map([
    ['/0/workerId', 'workerId'],
    ['/0/payPeriodId', 'payPeriodId'],
    ['/0/checkCorrelationId', 'correlationId'],
  ]);
  /** @type {any} */
  const check = {
    ...given('workerId', draft.workerId),
    ...given('payPeriodId', draft.payPeriodId),
    ...given('checkCorrelationId', draft.correlationId),
  };
  draft.lines.forEach((line, index) => {
    const member = memberOf(effectOf(line.componentId));
    const lines = (check[member] ??= []);
    const pointer = `/0/${member}/${lines.length}`;
    places.set(pointer, `lines/${index}/line`);
    places.set(`${pointer}/componentId`, `lines/${index}/componentId`);
    places.set(`${pointer}/${line.by}`, `lines/${index}/quantity`);
    places.set(`${pointer}/payRate`, `lines/${index}/payRate`);
    lines.push({ ...given('componentId', line.componentId), ...given(line.by, line.quantity), ...given('payRate', line.payRate) });
  });
  return { checks: [check], places };
}

/** @param {string} name @param {string} value */
function given(name, value) {
  return value.trim() === '' ? {} : { [name]: value.trim() };
}

/**
 * Returns the faults of a rejection by the field that shows them: the field of their pointer, or the nearest
 * enclosing field. `others` is the error with the faults that belong to no field.
 *
 * @param {unknown} error
 * @param {Map<string, string>} places
 * @returns {{at: (field: string) => Fault[], others: unknown}}
 */
export function faultsByField(error, places) {
  if (!(error instanceof ApiError)) return { at: () => [], others: error };
  /** @type {Map<string, Fault[]>} */
  const byField = new Map();
  /** @type {Fault[]} */
  const rest = [];
  for (const fault of error.errors) {
    const field = fieldOf(fault.pointer ?? '', places);
    if (field === undefined) rest.push(fault);
    else byField.set(field, [...(byField.get(field) ?? []), fault]);
  }
  const others = rest.length === 0 && byField.size > 0 ? undefined : Object.assign(Object.create(error), { errors: rest });
  return { at: (field) => byField.get(field) ?? [], others };
}

/** @param {string} pointer @param {Map<string, string>} places */
function fieldOf(pointer, places) {
  for (let around = pointer; around !== ''; around = around.slice(0, around.lastIndexOf('/'))) {
    const field = places.get(around);
    if (field !== undefined) return field;
  }
  return undefined;
}

/** @param {{base: string, companyId: string, key: string, text: string, mediaType: string}} request */
export function curlLine({ base, companyId, key, text, mediaType }) {
  const quoted = (/** @type {string} */ word) => `'${word.replaceAll("'", "'\\''")}'`;
  return [
    `curl -sS ${quoted(`${base}/companies/${encodeURIComponent(companyId)}/checks`)}`,
    '-H "Authorization: Bearer $TOKEN"',
    `-H ${quoted(`Content-Type: ${mediaType}`)}`,
    `-H ${quoted(`Idempotency-Key: ${key}`)}`,
    // The command sends the same bytes as the page, so that both are one request under one idempotency key.
    `--data-binary ${quoted(text)}`,
  ].join(' \\\n  ');
}
