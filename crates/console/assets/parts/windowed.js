// A table for a long list. It contains only the visible rows, and loads their pages as they become visible.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty, Failed, Loading } from './feedback.js';
import { html } from './html.js';
import { countText } from './values.js';

/** Number of elements in a page. */
const PAGE = 100;
/** Height of a row in pixels. The style sheet sets this height for the rows of a windowed table. */
const ROW = 40;
/** Number of rows above and below the visible rows. */
const MARGIN = 10;
/** Maximum number of pages in memory. The oldest pages are loaded again when they become visible. */
const KEPT = 30;

/**
 * @template Item
 * @typedef {{
 *   title: any,
 *   cell: (item: Item) => any,
 *   number?: boolean,
 *   sort?: string,
 *   sum?: any,
 * }} Column A column. `sort` is its name in a sort order, and `sum` is shown below all rows.
 */

/**
 * @template Item
 * @param {{
 *   label: string,
 *   load: (offset: number, limit: number) => Promise<{items: Item[], total: number}>,
 *   inputs: unknown[],
 *   columns: Column<Item>[],
 *   empty: any,
 *   unfold?: (item: Item) => any,
 *   order?: string,
 *   onOrder?: (order: string) => void,
 * }} props `order` is the name of a column, with the prefix `-` for descending order.
 */
export function WindowedTable({ label, load, inputs, columns, empty, unfold, order, onOrder }) {
  const { total, error, item, see, first, last, frame } = useWindow(load, inputs);
  const [open, setOpen] = useState(/** @type {Item | undefined} */ (undefined));
  // The details of an old row could show an object that was deleted since.
  useEffect(() => setOpen(undefined), inputs);
  if (error) return html`<${Failed} error=${error} />`;
  if (total === undefined) return html`<${Loading} what=${label} />`;
  if (total === 0) return typeof empty === 'string' ? html`<${Empty} title=${empty} />` : empty;
  const numbers = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  return html`<div>
    <div class="windowed" ref=${frame} onScroll=${see} tabindex="0" role="region" aria-label=${label}>
      <table aria-rowcount=${total + 1}>
        <thead>
          <tr>
            ${columns.map((column) => html`<${Heading} ...${column} order=${order} onOrder=${onOrder} />`)}
            ${unfold ? html`<th scope="col"><span class="unseen">Details</span></th>` : null}
          </tr>
        </thead>
        <tbody>
          ${first > 0 ? html`<${Space} rows=${first} columns=${columns.length + 1} />` : null}
          ${numbers.map((number) => {
            const row = item(number);
            return html`<tr key=${number} aria-rowindex=${number + 2}>
              ${columns.map(
                ({ cell, number: right }) =>
                  html`<td class=${right ? 'number' : ''}>${row === undefined ? '…' : cell(row)}</td>`,
              )}
              ${unfold && row !== undefined
                ? html`<td>
                    <button type="button" class="quiet" aria-expanded=${open === row}
                      onClick=${() => setOpen(open === row ? undefined : row)}>Details</button>
                  </td>`
                : null}
            </tr>`;
          })}
          ${last < total ? html`<${Space} rows=${total - last} columns=${columns.length + 1} />` : null}
        </tbody>
        ${columns.some(({ sum }) => sum !== undefined)
          ? html`<tfoot><tr>
              ${columns.map(({ sum, number }) => html`<td class=${number ? 'number' : ''}>${sum ?? null}</td>`)}
              ${unfold ? html`<td></td>` : null}
            </tr></tfoot>`
          : null}
      </table>
    </div>
    <p class="hint">${total === 1 ? '1 row' : `${countText(total)} rows`}</p>
    ${unfold && open !== undefined
      ? html`<section class="unfolded" aria-label="Details">${unfold(open)}</section>`
      : null}
  </div>`;
}

/**
 * The heading of a column. Its button sorts by the column, or reverses the order.
 *
 * @param {{title: any, number?: boolean, sort?: string, order?: string, onOrder?: (order: string) => void}} props
 */
function Heading({ title, number, sort, order, onOrder }) {
  if (sort === undefined || onOrder === undefined) {
    return html`<th scope="col" class=${number ? 'number' : ''}>${title}</th>`;
  }
  const [ascending, descending] = [order === sort, order === `-${sort}`];
  // Numbers are first sorted in descending order.
  const next = number ? (descending ? sort : `-${sort}`) : ascending ? `-${sort}` : sort;
  return html`<th scope="col" class=${number ? 'number' : ''}
    aria-sort=${ascending ? 'ascending' : descending ? 'descending' : 'none'}>
    <button type="button" class="sort" onClick=${() => onOrder(next)}>${title}<span
      aria-hidden="true">${ascending ? ' ▲' : descending ? ' ▼' : ''}</span></button>
  </th>`;
}

/** @param {{rows: number, columns: number}} props */
function Space({ rows, columns }) {
  // The script sets the style property, because the page's policy permits no style attribute.
  const high = (/** @type {HTMLElement | null} */ cell) => cell && (cell.style.height = `${rows * ROW}px`);
  return html`<tr aria-hidden="true" class="space"><td ref=${high} colspan=${columns}></td></tr>`;
}

/**
 * @template Item
 * @param {(offset: number, limit: number) => Promise<{items: Item[], total: number}>} load
 * @param {unknown[]} inputs
 */
function useWindow(load, inputs) {
  const [total, setTotal] = useState(/** @type {number | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {unknown} */ (undefined));
  const [range, setRange] = useState({ first: 0, last: 30 });
  const [, redraw] = useState(0);
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const pages = useRef(/** @type {Map<number, Item[] | null>} */ (new Map()));
  const round = useRef(0);

  const fetchPage = (/** @type {number} */ number) => {
    if (pages.current.has(number)) return;
    pages.current.set(number, null);
    const mine = round.current;
    load(number * PAGE, PAGE).then(
      (page) => {
        if (round.current !== mine) return;
        pages.current.set(number, page.items);
        for (const old of pages.current.keys()) {
          if (pages.current.size <= KEPT) break;
          if (Math.abs(old - number) > 2) pages.current.delete(old);
        }
        setTotal(page.total);
        redraw((count) => count + 1);
      },
      (failure) => round.current === mine && setError(failure),
    );
  };
  useEffect(() => {
    round.current += 1;
    pages.current = new Map();
    setTotal(undefined);
    setError(undefined);
    setRange({ first: 0, last: 30 });
    fetchPage(0);
  }, inputs);
  const rows = total ?? 0;
  const last = Math.min(range.last, rows);
  const first = Math.min(range.first, last);
  useEffect(() => {
    if (rows === 0) return;
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page += 1) fetchPage(page);
  });
  const see = () => {
    const seen = frame.current;
    if (!seen) return;
    const top = Math.floor(seen.scrollTop / ROW);
    const count = Math.ceil(seen.clientHeight / ROW);
    setRange({ first: Math.max(0, top - MARGIN), last: top + count + MARGIN });
  };
  const item = (/** @type {number} */ number) => pages.current.get(Math.floor(number / PAGE))?.[number % PAGE];
  return { total, error, item, see, first, last, frame };
}
