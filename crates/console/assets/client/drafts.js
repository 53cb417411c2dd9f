// Keeps typed taxes while the tab is open, so that they survive navigation and the end of the session. The
// taxes are only in the memory of the page, because the browser must not store company data.

/** The input for a completion. @typedef {{text: string, allowEmpty: boolean}} Draft */
/** @typedef {{companyId: string, payPeriodId: string}} Path */

/** Maximum number of pay periods whose input is kept. The input that was changed longest ago is discarded. */
const KEPT = 20;

/** @type {Map<string, Draft>} */
const drafts = new Map();

/** @param {Path} path */
function keyOf({ companyId, payPeriodId }) {
  return `${companyId}/${payPeriodId}`;
}

/** Returns the kept input for a pay period. @param {Path} path */
export function keptDraft(path) {
  return drafts.get(keyOf(path));
}

/** Keeps the input for a pay period. @param {Path} path @param {Draft} draft */
export function keepDraft(path, draft) {
  const key = keyOf(path);
  drafts.delete(key);
  if (draft.text.trim() !== '') drafts.set(key, draft);
  const [oldest] = drafts.keys();
  if (oldest !== undefined && drafts.size > KEPT) drafts.delete(oldest);
}

/** Discards the input for a pay period after its completion. @param {Path} path */
export function discardDraft(path) {
  drafts.delete(keyOf(path));
}

/** Discards the input for all pay periods, because another operator may use the page. */
export function discardDrafts() {
  drafts.clear();
}
