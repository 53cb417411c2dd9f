// How many completion requests are pending, for the badge of the navigation.
import { useEffect, useState } from 'preact/hooks';
import { api, page } from './client.js';
import { needsTwoOperators } from './server.js';

/** Milliseconds between two reads of the number. */
const EVERY = 30_000;

/** @type {Set<() => void>} */
const listeners = new Set();

/** Reads the number again, after a request was created, approved or withdrawn. */
export function approvalsChanged() {
  for (const listener of listeners) listener();
}

/** The number of pending completion requests; 0 until it is known. */
export function useApprovalCount() {
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (!needsTwoOperators) return;
    let current = true;
    const read = () =>
      void page(api.GET('/operator/v1/completionrequests', { params: { query: { limit: 1 } } })).then(
        ({ total }) => current && setCount(total),
        // The page of approvals reports what failed. The badge keeps the number that it has.
        () => undefined,
      );
    read();
    listeners.add(read);
    const timer = setInterval(read, EVERY);
    return () => {
      current = false;
      listeners.delete(read);
      clearInterval(timer);
    };
  }, []);
  return count;
}
