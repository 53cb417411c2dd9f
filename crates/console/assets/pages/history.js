// The history of an object from the audit log, as differences.
import { api, linked } from '../client/client.js';
import { html } from '../parts/html.js';
import { LinkedList } from '../parts/linked-list.js';
import { Id, When } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['AuditRow']} Row */

/**
 * Returns the members that differ, by their paths. Lists are compared by index.
 *
 * @param {unknown} before
 * @param {unknown} after
 * @param {string} [path]
 * @returns {{path: string, before: unknown, after: unknown}[]}
 */
export function differences(before, after, path = '') {
  if (before === after) return [];
  const isObject = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null;
  if (!isObject(before) || !isObject(after)) return [{ path: path || '/', before, after }];
  const [one, other] = [/** @type {Record<string, unknown>} */ (before), /** @type {Record<string, unknown>} */ (after)];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differences(one[name], other[name], `${path}/${name}`));
}

/** @param {{value: unknown}} props */
function Value({ value }) {
  if (value === undefined) return html`<span class="nothing">none</span>`;
  return typeof value === 'object' ? html`<code>${JSON.stringify(value)}</code>` : html`${String(value)}`;
}

/** Shows the differences in a row of the audit log. @param {{row: Row}} props */
export function Difference({ row }) {
  if (row.action === 'reveal') return 'The full tax ID was shown.';
  if (row.action === 'export') return 'The company was exported.';
  if (row.action !== 'update') {
    const shown = row.after ?? row.before;
    return html`<details><summary>${row.action === 'create' ? 'created object' : 'deleted object'}</summary>
      <pre>${JSON.stringify(shown, null, 2)}</pre></details>`;
  }
  return html`<ul class="differences">
    ${differences(row.before, row.after).map((it) => html`<li>
      <code>${it.path}</code> <del><${Value} value=${it.before} /></del> → <ins><${Value} value=${it.after} /></ins>
    </li>`)}
  </ul>`;
}

/**
 * Returns the position before which the rows of the next page were written.
 *
 * @param {URLSearchParams | undefined} next
 */
export function beforeRow(next) {
  const before = next?.get('before');
  return before == null ? undefined : Number(before);
}

/** @type {import('../parts/windowed.js').Column<Row>[]} */
export const ROWS = [
  { title: 'When', cell: (row) => html`<${When} value=${row.at} />` },
  { title: 'Who', cell: (row) => html`${row.actor.name} <span class="hint">${row.actor.kind}</span>` },
  { title: 'What', cell: (row) => html`${row.action} ${row.resource.kind} <${Id} value=${row.resource.id} />` },
  { title: 'Difference', cell: (row) => html`<${Difference} row=${row} />` },
];

/** @param {{companyId: string, kind?: Row['resource']['kind'], resourceId?: string, version?: string}} props */
export function History({ companyId, kind, resourceId, version }) {
  const load = (/** @type {URLSearchParams | undefined} */ next) =>
    linked(api.GET('/operator/v1/audit', {
      params: {
        query: { companyid: companyId, limit: 50, kind, resourceid: resourceId, before: beforeRow(next) },
      },
    }));
  return html`<section>
    <h2>History</h2>
    <${LinkedList} label="History" load=${load} inputs=${[companyId, kind, resourceId, version]} columns=${ROWS}
      empty="The audit log has no entries." />
  </section>`;
}
