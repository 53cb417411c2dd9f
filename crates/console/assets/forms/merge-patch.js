// Merge patches (RFC 7396).

/**
 * Returns the merge patch that changes one object into another.
 *
 * @param {any} before
 * @param {any} after
 * @returns {any}
 */
export function mergePatch(before, after) {
  const isObject = (/** @type {any} */ value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(before) || !isObject(after)) return after;
  /** @type {Record<string, any>} */
  const patch = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    if (JSON.stringify(before[name]) === JSON.stringify(value)) continue;
    patch[name] = name in before ? mergePatch(before[name], value) : value;
  }
  return patch;
}
