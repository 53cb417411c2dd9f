// Assigns faults of the server to the fields of a form by their JSON pointers.
import { ApiError } from '../api/http.js';

/** @typedef {import('../api/http.js').Fault} Fault */
/** @typedef {import('./schema.js').Field} Field */
/** Faults by the pointer of their field. @typedef {Map<string, Fault[]>} Placed */

/**
 * Returns the pointer of the field that shows a fault: the field that the fault names, or the nearest
 * enclosing field.
 *
 * @param {Field[]} fields
 * @param {string} pointer
 */
function placeOf(fields, pointer) {
  let place = '';
  let members = fields;
  /** @type {Field | undefined} */
  let field;
  for (const segment of pointer.split('/').slice(1)) {
    if (field?.kind === 'list' && /^\d+$/.test(segment)) {
      members = field.item?.kind === 'object' ? field.item.members : [];
      field = field.item;
    } else {
      field = members.find((it) => it.name === segment);
      if (!field) return place;
      members = field.members;
    }
    place += `/${segment}`;
  }
  return place;
}

/**
 * Returns the faults of an error at their fields, and an error with the remaining faults.
 *
 * @param {Field[]} fields
 * @param {unknown} error
 * @returns {{placed: Placed, rest: unknown}}
 */
export function placedFaults(fields, error) {
  /** @type {Placed} */
  const placed = new Map();
  if (!(error instanceof ApiError)) return { placed, rest: error };
  const others = error.errors.filter((fault) => {
    const place = placeOf(fields, fault.pointer ?? '');
    if (place === '') return true;
    placed.set(place, [...(placed.get(place) ?? []), fault]);
    return false;
  });
  if (others.length > 0 || placed.size === 0) return { placed, rest: Object.create(error, { errors: { value: others } }) };
  return { placed, rest: undefined };
}

/** Returns whether a field or one of its members has a fault. @param {Placed} placed @param {string} pointer */
export function hasFaults(placed, pointer) {
  return [...placed.keys()].some((place) => place === pointer || place.startsWith(`${pointer}/`));
}
