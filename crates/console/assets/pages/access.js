// Grants, changes and revokes an application's access to a company, on the pages of both.
import { useEffect, useState } from 'preact/hooks';
import { api, body, one } from '../client/client.js';
import { useAction } from '../api/load.js';
import { applications, companies } from '../forms/references.js';
import { Picker } from '../parts/picker.js';
import { Dialog } from '../parts/dialog.js';
import { html } from '../parts/html.js';
import { toast } from '../parts/toast.js';
import { ScopeFields } from './scopes.js';

/** @typedef {import('../client/client.js').Schemas['Grant']} Grant */
/** @typedef {{applicationId: string, companyId: string}} Path */

/** Returns the stored grant with its entity tag. @param {Path} path */
function stored(path) {
  return one(api.GET('/operator/v1/applications/{applicationId}/grants/{companyId}', { params: { path } }));
}

/**
 * The form of a grant. For a new grant, the user selects the ids that `path` does not contain by name.
 *
 * @param {{path: Partial<Path>, grant?: Grant, done: () => void, close: () => void}} props
 */
export function AccessForm({ path, grant, done, close }) {
  const [chosen, choose] = useState(path);
  const [scopes, setScopes] = useState(/** @type {Grant['scopes'] | undefined} */ (grant ? undefined : []));
  const [tag, setTag] = useState('');
  const [isStale, setStale] = useState(false);
  const { busy, error, run } = useAction();
  const { applicationId = '', companyId = '' } = chosen;
  const full = { applicationId, companyId };
  // The form shows the stored scopes. Saving fails if they have changed since.
  const load = () => run(async () => {
    const found = await stored(full);
    setTag(found.tag);
    setScopes(found.item.scopes);
  });
  useEffect(() => void (grant && load()), []);
  const whenStale = () => {
    setStale(true);
    void load();
  };
  const save = async () => {
    const saved = await run(() => body(api.PUT('/operator/v1/applications/{applicationId}/grants/{companyId}', {
      params: { path: full, header: tag ? { 'If-Match': tag } : {} },
      body: { scopes: scopes ?? [] },
    })), whenStale);
    if (!saved) return;
    toast('The access is saved.');
    done();
  };
  const isComplete = applicationId !== '' && companyId !== '' && scopes !== undefined && scopes.length > 0;
  return html`<${Dialog} title=${grant ? 'Change access' : 'Give access'} confirm="Save" wide busy=${busy} error=${error} disabled=${!isComplete}
    onConfirm=${save} onClose=${close}>
    ${path.companyId ? null : html`<div class="field"><label for="access-company">Company</label>
      <${Picker} id="access-company" value=${chosen.companyId} source=${companies} required
        onChange=${(/** @type {string | undefined} */ id) => choose({ ...path, companyId: id })} /></div>`}
    ${path.applicationId ? null : html`<div class="field"><label for="access-application">Application</label>
      <${Picker} id="access-application" value=${chosen.applicationId} source=${applications} required
        onChange=${(/** @type {string | undefined} */ id) => choose({ ...path, applicationId: id })} /></div>`}
    ${isStale ? html`<p class="warned" role="alert"><strong>Another operator has changed the access of this application in the meantime.</strong>
      Your changes were not saved. The form now shows the stored scopes. Make your changes again.</p>` : null}
    ${scopes ? html`<${ScopeFields} chosen=${scopes} change=${setScopes} />` : null}
  <//>`;
}

/** @param {{path: Path, done: () => void, close: () => void}} props */
export function RevokeAccess({ path, done, close }) {
  const { busy, error, run } = useAction();
  const revoke = async () => {
    const revoked = await run(async () => {
      const { tag } = await stored(path);
      await body(api.DELETE('/operator/v1/applications/{applicationId}/grants/{companyId}', { params: { path, header: { 'If-Match': tag } } }));
    });
    if (!revoked) return;
    toast('The access is revoked.');
    done();
  };
  return html`<${Dialog} title="Revoke access?" confirm="Revoke" danger busy=${busy} error=${error} onConfirm=${revoke} onClose=${close}>
    <p>The application can no longer read or change anything in this company, and its hooks get no more notifications about the company.</p>
  <//>`;
}
