// The frame of all pages, and the page for an address. The navigation is at the side, and becomes a drawer on
// small screens.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty } from './feedback.js';
import { html, isolated } from './html.js';
import { Icon } from './icons.js';
import { to, useLocation } from './router.js';
import { Toasts } from './toast.js';

/**
 * The page of an address: a pattern, in which `:` matches an id, and the function that renders the page.
 *
 * @typedef {[string, (...ids: string[]) => any]} Page
 */
/**
 * A group of the navigation: its title, and the first segment, title and icon of each page.
 *
 * @typedef {{title: string, pages: readonly (readonly [string, string, import('./icons.js').IconName])[]}} Group
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

/** Sets the title of the browser tab to the heading of the page. @param {string} brand @param {HTMLElement | null} main */
function followHeading(brand, main) {
  if (!main) return undefined;
  const update = () => {
    const heading = main.querySelector('h1')?.textContent?.trim();
    document.title = heading && heading !== brand ? `${isolated(heading)} · ${brand}` : brand;
  };
  const observer = new MutationObserver(update);
  observer.observe(main, { childList: true, subtree: true, characterData: true });
  update();
  return () => observer.disconnect();
}

/**
 * @param {{
 *   brand: string, account: string, signOut: () => void, navigation: readonly Group[], pages: readonly Page[],
 *   areaOf?: (segment: string) => string, badges?: Record<string, {count: number, what: string}>, tools?: any,
 * }} props `areaOf` maps the first segment of a page to the first segment of its page in the navigation. `badges` contains
 *   the numbers next to titles, by segment. `tools` are shown above the navigation.
 */
export function Frame({ brand, account, signOut, navigation, pages, areaOf = (segment) => segment, badges = {}, tools }) {
  const { segments } = useLocation();
  const [isOpen, open] = useState(false);
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const menu = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const address = segments.join('/');
  useEffect(() => {
    open(false);
    main.current?.focus();
  }, [address]);
  useEffect(() => followHeading(brand, main.current), [brand]);
  const close = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Escape' || !isOpen) return;
    open(false);
    menu.current?.focus();
  };
  const current = areaOf(segments[0] ?? '');
  return html`
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <div class=${isOpen ? 'frame open' : 'frame'} onKeyDown=${close}>
      <header>
        <div class="bar">
          <button type="button" ref=${menu} class="icon menu" aria-expanded=${isOpen} aria-controls="navigation"
            aria-label=${isOpen ? 'Close the menu' : 'Open the menu'} onClick=${() => open(!isOpen)}><${Icon} name=${isOpen ? 'close' : 'menu'} /></button>
          <p class="brand"><a href="#/">${brand}</a></p>
        </div>
        <div class="side" id="navigation">
          ${tools}
          <nav aria-label="Pages">
            ${navigation.map((group) => html`<${Links} key=${group.title} group=${group} current=${current} badges=${badges} />`)}
          </nav>
          <p class="account">
            <span>${account}</span>
            <button type="button" class="quiet" onClick=${signOut}><${Icon} name="leave" />Sign out</button>
          </p>
        </div>
      </header>
      <main id="main" tabindex="-1" ref=${main}>${pageOf(pages, segments)}</main>
    </div>
    <${Toasts} />
  `;
}

/** @param {{group: Group, current: string, badges: Record<string, {count: number, what: string}>}} props */
function Links({ group, current, badges }) {
  return html`
    ${group.title ? html`<h2 class="group">${group.title}</h2>` : null}
    <ul>
      ${group.pages.map(([name, title, icon]) => html`<li>
        <a href=${to(...(name === '' ? [] : [name]))} aria-current=${name === current ? 'page' : null}>
          <${Icon} name=${icon} /><span>${title}</span><${Badge} of=${badges[name]} /></a>
      </li>`)}
    </ul>
  `;
}

/** A number next to a title. @param {{of: {count: number, what: string} | undefined}} props */
function Badge({ of }) {
  if (!of || of.count === 0) return null;
  return html`<span class="badge"><span aria-hidden="true">${of.count > MAX_BADGE ? `${MAX_BADGE}+` : of.count}</span>
    <span class="unseen">, ${of.count} ${of.what}</span></span>`;
}

/** The largest number in a badge, because more digits do not fit. */
const MAX_BADGE = 99;

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
