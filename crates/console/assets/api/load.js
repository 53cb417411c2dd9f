// Loads data for pages. The page shows the result of the latest request.
import { useCallback, useEffect, useState } from 'preact/hooks';

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
 * Runs the action of a button, one at a time, and keeps its error.
 *
 * @returns {{busy: boolean, error: unknown, run: (action: () => Promise<unknown>) => Promise<boolean>,
 *   clear: () => void}}
 */
export function useAction() {
  const [state, change] = useState({ busy: false, error: /** @type {unknown} */ (undefined) });
  const run = useCallback(async (/** @type {() => Promise<unknown>} */ action) => {
    change({ busy: true, error: undefined });
    try {
      await action();
      change({ busy: false, error: undefined });
      return true;
    } catch (error) {
      change({ busy: false, error });
      return false;
    }
  }, []);
  const clear = useCallback(() => change({ busy: false, error: undefined }), []);
  return { ...state, run, clear };
}
