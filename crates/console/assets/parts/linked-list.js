// A list with links to further pages, such as a log. The newest entries are shown first, and older ones are
// loaded on demand.
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../api/load.js';
import { Failed, Loading } from './feedback.js';
import { html } from './html.js';
import { Table } from './table.js';

/**
 * @template Item
 * @param {{
 *   label: string,
 *   load: (next: URLSearchParams | undefined) => Promise<{items: Item[], next: URLSearchParams | undefined}>,
 *   inputs: unknown[],
 *   columns: import('./windowed.js').Column<Item>[],
 *   empty: any,
 *   more?: string,
 * }} props
 */
export function LinkedList({ label, load, inputs, columns, empty, more: moreTitle = 'Older ones' }) {
  const [items, setItems] = useState(/** @type {Item[] | undefined} */ (undefined));
  const [next, setNext] = useState(/** @type {URLSearchParams | undefined} */ (undefined));
  const { busy, error, run } = useAction();
  const more = (/** @type {Item[]} */ before, /** @type {URLSearchParams | undefined} */ from, wanted = () => true) =>
    run(async () => {
      const page = await load(from);
      if (!wanted()) return;
      setItems([...before, ...page.items]);
      setNext(page.next);
    });
  useEffect(() => {
    let current = true;
    setItems(undefined);
    void more([], undefined, () => current);
    return () => void (current = false);
  }, inputs);
  if (items === undefined) return error ? html`<${Failed} error=${error} />` : html`<${Loading} what=${label} />`;
  return html`
    <p><button type="button" disabled=${busy} onClick=${() => more([], undefined)}>Refresh</button></p>
    <${Table} label=${label} items=${items} columns=${columns} empty=${next ? 'No row on the loaded pages matches. Load more.' : empty} />
    <${Failed} error=${error} />
    ${next
      ? html`<p><button type="button" disabled=${busy} onClick=${() => more(items, next)}>${moreTitle}</button></p>`
      : null}
  `;
}
