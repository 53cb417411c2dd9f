// Addresses of pages: what stands behind the `#`.
import { useEffect, useMemo, useState } from 'preact/hooks';

/** The segments of the address, decoded, and its query. */
export function location() {
  const [path = '', query = ''] = window.location.hash.replace(/^#\/?/, '').split('?');
  const segments = path.split('/').filter((segment) => segment !== '');
  return { segments: segments.map(decoded), query: new URLSearchParams(query) };
}

/** @param {string} segment */
function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The address, as it is now and whenever it changes. */
export function useLocation() {
  const [hash, change] = useState(window.location.hash);
  useEffect(() => {
    const listener = () => change(window.location.hash);
    window.addEventListener('hashchange', listener);
    // It may have changed since the page was put together, when no one listened yet.
    listener();
    return () => window.removeEventListener('hashchange', listener);
  }, []);
  return useMemo(location, [hash]);
}

/**
 * The address of a page.
 *
 * @param {...string} segments
 */
export function to(...segments) {
  return `#/${segments.map(encodeURIComponent).join('/')}`;
}

/**
 * Changes the query of the address, without a place in the history.
 *
 * @param {Record<string, string>} values
 */
export function setQuery(values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  const [path] = window.location.hash.split('?');
  window.location.replace(`${path}${query.size > 0 ? `?${query}` : ''}`);
}
