// How many completion requests and bank accounts are pending, for the badge of the navigation.
import { useEffect, useState } from 'preact/hooks';
import { api, page } from './client.js';
import { needsTwoOperators } from './server.js';
import { mayReadPersonalData } from './session.js';

/** Milliseconds between two reads of the number. */
const EVERY = 30_000;

/** @type {Set<() => void>} */
const listeners = new Set();

/** Reads the number again, after a request was created, approved or withdrawn. */
export function approvalsChanged() {
  for (const listener of listeners) listener();
}

/** How many elements a list has. @type {{query: {limit: number}}} */
const COUNTED = { query: { limit: 1 } };

/** The number of pending completion requests and bank accounts; 0 until it is known. */
export function useApprovalCount() {
  const [count, setCount] = useState(0);
  useEffect(() => {
    let current = true;
    const read = () =>
      void Promise.all([
        needsTwoOperators ? page(api.GET('/operator/v1/completionrequests', { params: COUNTED })) : { total: 0 },
        mayReadPersonalData() ? page(api.GET('/operator/v1/depositrequests', { params: COUNTED })) : { total: 0 },
      ]).then(
        (lists) => current && setCount(lists.reduce((sum, { total }) => sum + total, 0)),
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
