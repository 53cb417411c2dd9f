// The applications that have access to a company.
import { useState } from 'preact/hooks';
import { api, ifFound, one, page } from '../client/client.js';
import { useLoad } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { Empty, Loaded } from '../parts/feedback.js';
import { html } from '../parts/html.js';
import { to } from '../parts/router.js';
import { Table } from '../parts/table.js';
import { AccessForm, RevokeAccess } from './access.js';

/** @typedef {import('../client/client.js').Schemas['Grant']} Grant */
/** @typedef {{name: string, grant: Grant}} Row */

/** Maximum number of applications whose access is read, with one request each. */
const READ = 200;

/** @param {string} companyId */
async function grantsOf(companyId) {
  const { items, total } = await page(api.GET('/operator/v1/applications', { params: { query: { limit: READ } } }));
  const rows = await Promise.all(items.map(async ({ applicationId, name }) => {
    const path = { applicationId, companyId };
    const grant = await ifFound(one(api.GET('/operator/v1/applications/{applicationId}/grants/{companyId}', { params: { path } })));
    return grant ? [{ name, grant: grant.item }] : [];
  }));
  return { rows: rows.flat(), isPart: total > items.length };
}

/** @param {{companyId: string}} props */
export function CompanyAccess({ companyId }) {
  const grants = useLoad(() => grantsOf(companyId), [companyId]);
  const [editing, edit] = useState(/** @type {Row | 'new' | undefined} */ (undefined));
  const [revoking, revoke] = useState(/** @type {Row | undefined} */ (undefined));
  const done = () => {
    edit(undefined);
    revoke(undefined);
    grants.reload();
  };
  /** @type {import('../parts/windowed.js').Column<Row>[]} */
  const columns = [
    { title: 'Application', cell: ({ name, grant }) => html`<a href=${to('applications', grant.applicationId)}>${name}</a>` },
    { title: 'Scopes', cell: ({ grant }) => grant.scopes.join(', ') },
    ...(mayWrite('administration') ? [{
      title: 'Actions',
      cell: (/** @type {Row} */ row) => html`<span class="row-actions"><button type="button" class="quiet" onClick=${() => edit(row)}>Edit</button>
        <button type="button" class="quiet" onClick=${() => revoke(row)}>Revoke</button></span>`,
    }] : []),
  ];
  const path = (/** @type {Row} */ { grant }) => ({ applicationId: grant.applicationId, companyId });
  return html`<section>
    <div class="title"><h2>Applications with access</h2>
      ${mayWrite('administration') ? html`<button type="button" class="primary" onClick=${() => edit('new')}>Give access</button>` : null}</div>
    <${Loaded} of=${grants} what="the access">
      ${(/** @type {{rows: Row[], isPart: boolean}} */ { rows, isPart }) => html`
        <${Table} label="Applications with access" items=${rows} columns=${columns}
          empty=${html`<${Empty} title="No application has access to this company."><p class="hint">Give access with the button above.</p><//>`} />
        ${isPart ? html`<p class="hint">Only the first ${READ} applications were checked.</p>` : null}`}
    <//>
    ${editing ? html`<${AccessForm} path=${editing === 'new' ? { companyId } : path(editing)} grant=${editing === 'new' ? undefined : editing.grant}
      done=${done} close=${() => edit(undefined)} />` : null}
    ${revoking ? html`<${RevokeAccess} path=${path(revoking)} done=${done} close=${() => revoke(undefined)} />` : null}
  </section>`;
}
