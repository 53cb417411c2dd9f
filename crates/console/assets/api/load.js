// Loads data for pages. The page shows the result of the latest request.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError } from './http.js';

/**
 * Loads a value with a function. Loads it again when an input changes or `reload` is called, and returns the
 * previous value until then.
 *
 * @template Value
 * @param {() => Promise<Value>} load
 * @param {unknown[]} inputs
 * @returns {{value: Value | undefined, error: unknown, loading: boolean, reload: () => void}}
 */
export function useLoad(load, inputs) {
  const [state, change] = useState(
    /** @type {{value: Value | undefined, error: unknown, loading: boolean}} */ ({
      value: undefined,
      error: undefined,
      loading: true,
    }),
  );
  const [round, setRound] = useState(0);
  useEffect(() => {
    let wanted = true;
    change((before) => ({ ...before, loading: true }));
    load().then(
      (value) => wanted && change({ value, error: undefined, loading: false }),
      (error) => wanted && change({ value: undefined, error, loading: false }),
    );
    return () => void (wanted = false);
  }, [...inputs, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, reload };
}

/**
 * Runs the action of a button, one at a time, and stores its error. If the displayed data has changed on the
 * server, `run` calls `whenStale` instead, which loads the data again.
 *
 * @returns {{busy: boolean, error: unknown, clear: () => void,
 *   run: (action: () => Promise<unknown>, whenStale?: () => void) => Promise<boolean>}}
 */
export function useAction() {
  const [state, change] = useState({ busy: false, error: /** @type {unknown} */ (undefined) });
  const run = useCallback(async (/** @type {() => Promise<unknown>} */ action, /** @type {(() => void) | undefined} */ whenStale) => {
    change({ busy: true, error: undefined });
    try {
      await action();
      change({ busy: false, error: undefined });
      return true;
    } catch (error) {
      const isStale = whenStale && error instanceof ApiError && error.status === 412;
      change({ busy: false, error: isStale ? undefined : error });
      if (isStale) whenStale();
      return false;
    }
  }, []);
  const clear = useCallback(() => change({ busy: false, error: undefined }), []);
  return { ...state, run, clear };
}
