// Exact arithmetic with amounts of two decimals. No amount becomes a floating-point number of the browser.

/** Returns an amount in cents. @param {string} amount */
export function cents(amount) {
  return BigInt(amount.replace('.', ''));
}

/** @param {bigint} value of cents */
function text(value) {
  const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** @param {string} one @param {string} other */
export function sum(one, other) {
  return text(cents(one) + cents(other));
}

/**
 * Returns an amount minus another amount, if both are known.
 *
 * @param {string} amount
 * @param {string | undefined} before
 */
export function difference(amount, before) {
  return before === undefined ? undefined : text(cents(amount) - cents(before));
}
