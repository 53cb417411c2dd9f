// The addresses of pages, in the part of the URL after `#`.
import { useEffect, useMemo, useState } from 'preact/hooks';

/** Returns the decoded segments of the address and its query. */
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

/** Returns the address, and renders again whenever the address changes. */
export function useLocation() {
  const [hash, change] = useState(window.location.hash);
  useEffect(() => {
    const listener = () => change(window.location.hash);
    window.addEventListener('hashchange', listener);
    // The address may have changed before the listener was added.
    listener();
    return () => window.removeEventListener('hashchange', listener);
  }, []);
  return useMemo(location, [hash]);
}

/**
 * Returns the address of a page.
 *
 * @param {...string} segments
 */
export function to(...segments) {
  return `#/${segments.map(encodeURIComponent).join('/')}`;
}

/**
 * Changes the query of the address without a new entry in the browser history.
 *
 * @param {Record<string, string>} values
 */
export function setQuery(values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  const [path] = window.location.hash.split('?');
  window.location.replace(`${path}${query.size > 0 ? `?${query}` : ''}`);
}
