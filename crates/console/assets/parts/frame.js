// The frame of all pages, and the page of an address.
import { useEffect, useRef } from 'preact/hooks';
import { Empty } from './feedback.js';
import { html } from './html.js';
import { to, useLocation } from './router.js';

/**
 * The page of an address: a pattern, in which `:` stands for an id, and what shows it.
 *
 * @typedef {[string, (...ids: string[]) => any]} Page
 */

/**
 * @param {readonly Page[]} pages
 * @param {string[]} segments
 */
function pageOf(pages, segments) {
  for (const [pattern, show] of pages) {
    const parts = pattern.split('/').filter((part) => part !== '');
    const fits = parts.every((part, index) => part === ':' || part === segments[index]);
    if (fits && parts.length === segments.length) return show(...segments.filter((_, index) => parts[index] === ':'));
  }
  return html`<${NotFound} />`;
}

export function NotFound() {
  return html`<h1>Not found</h1>
    <${Empty} title="There is no such page."><p><a href="#/">Go to the first page</a></p><//>`;
}

/**
 * @param {{
 *   brand: string, account: string, signOut: () => void, navigation: readonly string[][], pages: readonly Page[],
 *   areaOf?: (segment: string) => string, badges?: Record<string, {count: number, what: string}>,
 * }} props `navigation` has the first segment and the title of each page that is led to; `areaOf` says which of
 *   them a page belongs to whose first segment is another one; `badges` are the numbers next to titles, by segment
 */
export function Frame({ brand, account, signOut, navigation, pages, areaOf = (segment) => segment, badges = {} }) {
  const { segments } = useLocation();
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const address = segments.join('/');
  useEffect(() => {
    main.current?.focus();
  }, [address]);
  const current = areaOf(segments[0] ?? '');
  return html`
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <header>
      <p class="brand"><a href="#/">${brand}</a></p>
      <nav aria-label="Pages">
        <ul>
          ${navigation.map(([name = '', title]) => html`<li>
            <a href=${to(...(name === '' ? [] : [name]))} aria-current=${name === current ? 'page' : null}>${title}<${Badge} of=${badges[name]} /></a>
          </li>`)}
        </ul>
      </nav>
      <p class="account">
        <span>${account}</span>
        <button type="button" class="quiet" onClick=${signOut}>Sign out</button>
      </p>
    </header>
    <main id="main" tabindex="-1" ref=${main}>${pageOf(pages, segments)}</main>
  `;
}

/** A number next to a title. @param {{of: {count: number, what: string} | undefined}} props */
function Badge({ of }) {
  if (!of || of.count === 0) return null;
  return html`<span class="badge"><span aria-hidden="true">${of.count > MAX_BADGE ? `${MAX_BADGE}+` : of.count}</span>
    <span class="unseen">, ${of.count} ${of.what}</span></span>`;
}

/** The largest number that a badge shows: more digits do not fit. */
const MAX_BADGE = 99;

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
