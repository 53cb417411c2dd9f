// The input for a completion: the document as JSON, or as CSV, which is converted to JSON. The request body
// is a text, so that no amount becomes a floating-point number of the browser.
import { placeInCsv, readCsv } from './completion-csv.js';

/** @typedef {import('../client/client.js').Schemas['Completion']} Completion */
/** @typedef {import('../api/http.js').Fault} ApiFault */
/** The operator's input. @typedef {import('../client/drafts.js').Draft} Draft */
/**
 * A fault and its position in the input.
 *
 * @typedef {{line?: number, column?: string, pointer?: string, paycheckId?: string, code?: string, description: string}} PlacedFault
 */
/**
 * @typedef {{
 *   format: 'none' | 'JSON' | 'CSV', body: string, faults: PlacedFault[], summary: string,
 *   locate: (fault: ApiFault) => PlacedFault,
 * }} ReadDraft `body` is the body of the request, and `locate` finds the position of a server's fault.
 */

/** @param {Draft} draft @returns {ReadDraft} */
export function readDraft({ text, allowEmpty }) {
  if (text.trim() === '') {
    const body = JSON.stringify(allowEmpty ? { allowEmpty } : {});
    return { format: 'none', body, faults: [], summary: '', locate: (fault) => fault };
  }
  return /^\s*[{[]/.test(text) ? jsonDraft(text) : csvDraft(readCsv(text));
}

/** @param {string} text @returns {ReadDraft} */
function jsonDraft(text) {
  /** @type {unknown} */
  let document;
  try {
    document = JSON.parse(text);
  } catch {
    // The server reports the line and the column of the mistake.
  }
  const checks = document instanceof Object && 'checks' in document && Array.isArray(document.checks) ? document.checks : [];
  const locate = (/** @type {ApiFault} */ fault) => ({ ...fault, paycheckId: paycheckIn(checks, fault.pointer) });
  return { format: 'JSON', body: text, faults: [], summary: counted(checks), locate };
}

/** @param {import('./completion-csv.js').CsvDocument} document @returns {ReadDraft} */
export function csvDraft({ checks, faults, places, unused }) {
  const locate = (/** @type {ApiFault} */ { pointer = '', code, description }) => {
    const paycheckId = paycheckIn(checks, pointer);
    return { ...placeInCsv(places, pointer), paycheckId, code, description };
  };
  const rest = unused > 0 ? ` Rows without a tax, deduction or check number, which are ignored: ${unused}.` : '';
  return { format: 'CSV', body: JSON.stringify({ checks }), faults, summary: counted(checks) + rest, locate };
}

/**
 * Returns the check to which a pointer into the document refers.
 *
 * @param {any[]} checks
 * @param {string | undefined} pointer
 * @returns {string | undefined}
 */
function paycheckIn(checks, pointer) {
  const [, index] = /^\/checks\/(\d+)(?:\/|$)/.exec(pointer ?? '') ?? [];
  const id = index === undefined ? undefined : checks[Number(index)]?.paycheckId;
  return typeof id === 'string' ? id : undefined;
}

/** @param {any[]} checks */
function counted(checks) {
  const sum = (/** @type {'taxes' | 'deductions'} */ list) =>
    checks.reduce((count, check) => count + (Array.isArray(check?.[list]) ? check[list].length : 0), 0);
  return `Checks: ${checks.length}. Taxes: ${sum('taxes')}. Deductions: ${sum('deductions')}.`;
}

/**
 * Reads a file as text.
 *
 * @param {File} file
 */
export async function readText(file) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} is not UTF-8 text. Save it as CSV UTF-8 or JSON.`);
  }
}
