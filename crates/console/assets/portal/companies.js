// The search for companies by name. The partner API has no such search, so the browser searches the list.
import { page } from '../api/http.js';
import { matching } from '../parts/picker.js';
import { api, currentCaller } from './client.js';

/** Maximum number of companies in a request. */
const LISTED = 1000;

/** The list of each caller, which is loaded once. @type {WeakMap<object, Promise<import('../parts/picker.js').Option[]>>} */
const lists = new WeakMap();

/** Returns the companies that the application may read. */
function all() {
  const caller = currentCaller() ?? {};
  const known = lists.get(caller);
  if (known) return known;
  const list = loaded().catch((error) => {
    lists.delete(caller);
    throw error;
  });
  lists.set(caller, list);
  return list;
}

async function loaded() {
  /** @type {import('../parts/picker.js').Option[]} */
  const options = [];
  for (;;) {
    const query = { limit: LISTED, offset: options.length };
    const { items, total } = await page(api.GET('/companies', { params: { query } }));
    options.push(...items.map((it) => ({ id: it.companyId, name: it.legalName, hint: it.displayId })));
    if (items.length === 0 || options.length >= total) return options;
  }
}

/** @type {import('../parts/picker.js').Source} */
export const companies = {
  search: async (text) => matching(await all(), text),
  nameOf: async (id) => (await all()).find((it) => it.id === id)?.name ?? id,
};
