// The order and the limits of the notifications of a hook in words.

/** @param {{ordered?: boolean, maxAttempts?: number, maxPerSecond?: number}} hook @returns {string} */
export function optionsText({ ordered, maxAttempts, maxPerSecond }) {
  return [
    ordered ? 'in order, one at a time' : 'concurrently',
    maxAttempts ? `at most ${maxAttempts} ${maxAttempts === 1 ? 'attempt' : 'attempts'} each` : '',
    maxPerSecond ? `at most ${maxPerSecond} per second from each server` : '',
  ].filter(Boolean).join(', ');
}
