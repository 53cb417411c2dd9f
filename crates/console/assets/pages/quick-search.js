// The global search for pages, actions and the server's data. It opens with Ctrl+K, Cmd+K or `/`.
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, page } from '../client/client.js';
import { Picker } from '../parts/picker.js';
import { html, isolated } from '../parts/html.js';
import { Icon } from '../parts/icons.js';
import { KINDS, pageOf } from './find.js';

/** Minimum number of characters for a request to the server, which rejects shorter texts. */
const MIN_LENGTH = 2;
/** Whether the computer has an Apple keyboard. */
const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * @param {readonly import('../parts/frame.js').Group[]} navigation
 * @returns {import('../parts/picker.js').Source}
 */
function sourceOf(navigation) {
  const pages = navigation.flatMap((group) => group.pages).map(([segment, title]) => ({ id: `#/${segment}`, name: title, hint: 'Page' }));
  return {
    search: async (text) => {
      const folded = text.toLowerCase();
      const matching = pages.filter((it) => it.name.toLowerCase().includes(folded));
      if (text.length < MIN_LENGTH) return matching;
      const { items } = await page(api.GET('/operator/v1/search', { params: { query: { q: text } } }));
      const hits = items.map((hit) => ({
        id: pageOf(hit),
        name: hit.name ?? hit.number ?? hit.id,
        hint: [KINDS[hit.kind], hit.number, hit.kind === 'company' ? undefined : hit.companyName].flatMap((it) => (it ? [isolated(it)] : [])).join(' · '),
      }));
      return [...hits, ...matching];
    },
    nameOf: async (id) => id,
  };
}

/** Returns whether a key event belongs to a text field. @param {KeyboardEvent} event */
function isTyped(event) {
  const target = /** @type {HTMLElement | null} */ (event.target);
  return target?.closest('input, textarea, select, dialog') != null;
}

/** @param {{navigation: readonly import('../parts/frame.js').Group[]}} props */
export function QuickSearch({ navigation }) {
  const [isOpen, open] = useState(false);
  useEffect(() => {
    const keys = (/** @type {KeyboardEvent} */ event) => {
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !isTyped(event);
      if (!isShortcut && !isSlash) return;
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      open(true);
    };
    document.addEventListener('keydown', keys);
    return () => document.removeEventListener('keydown', keys);
  }, []);
  return html`<button type="button" class="search" aria-keyshortcuts="Control+K Meta+K" onClick=${() => open(true)}>
      <${Icon} name="find" /><span>Search</span><kbd aria-hidden="true">${isApple ? '⌘K' : 'Ctrl K'}</kbd></button>
    ${isOpen ? html`<${SearchDialog} navigation=${navigation} close=${() => open(false)} />` : null}`;
}

/** @param {{navigation: readonly import('../parts/frame.js').Group[], close: () => void}} props */
function SearchDialog({ navigation, close }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [source] = useState(() => sourceOf(navigation));
  useEffect(() => dialog.current?.showModal(), []);
  const go = (/** @type {string | undefined} */ address) => {
    if (!address) return;
    close();
    window.location.hash = address;
  };
  return html`<dialog ref=${dialog} class="quick" aria-label="Search" onClose=${close}>
    <${Picker} id="quick-search" value=${undefined} source=${source} onChange=${go} label="Search companies, workers, pay periods, applications and pages" isSearch />
  </dialog>`;
}
