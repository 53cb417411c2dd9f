// Counts the pending completion requests and bank accounts for the badge in the navigation.
import { useEffect, useState } from 'preact/hooks';
import { api, page } from './client.js';
import { needsTwoOperators } from './server.js';
import { mayReadPersonalData } from './session.js';

/** Interval between two reads of the number, in milliseconds. */
const EVERY = 30_000;

/** @type {Set<() => void>} */
const listeners = new Set();

/** Reads the number again after a request was created, approved or withdrawn. */
export function approvalsChanged() {
  for (const listener of listeners) listener();
}

/** The parameters for reading only the number of a list's elements. @type {{query: {limit: number}}} */
const COUNTED = { query: { limit: 1 } };

/** Returns the number of pending completion requests and bank accounts, or 0 until it is known. */
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
        // The page of approvals reports errors. The badge still shows the previous number.
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
