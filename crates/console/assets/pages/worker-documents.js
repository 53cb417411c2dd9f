// The documents of a worker: list, add, download and delete.
import { useState } from 'preact/hooks';
import { api, body, page, save } from '../client/client.js';
import { mayWrite } from '../client/session.js';
import { useAction, useLoad } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { Failed, Loaded } from '../parts/feedback.js';
import { html, isolated } from '../parts/html.js';
import { Table } from '../parts/table.js';
import { toast } from '../parts/toast.js';
import { Day } from '../parts/values.js';

/** @typedef {import('../client/client.js').Schemas['StoredDocument']} Stored */
/** @typedef {{companyId: string, workerId: string}} Path */

const LIST = '/operator/v1/companies/{companyId}/workers/{workerId}/documents';
const ONE = '/operator/v1/companies/{companyId}/workers/{workerId}/documents/{documentId}';

/** @param {number} bytes */
function sizeText(bytes) {
  return bytes < 1024 ? `${bytes} bytes` : bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/**
 * Returns the bytes of a file in base64.
 *
 * @param {File} file
 * @returns {Promise<string>}
 */
function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read.`)));
    reader.readAsDataURL(file);
  });
}

/** @param {{path: Path}} props */
export function Documents({ path }) {
  const [round, again] = useState(0);
  const [deleted, choose] = useState(/** @type {Stored | undefined} */ (undefined));
  const documents = useLoad(() => page(api.GET(LIST, { params: { path, query: {} } })), [path.workerId, round]);
  const download = useAction();
  const addition = useAction();
  const add = async (/** @type {Event & {currentTarget: HTMLInputElement}} */ event) => {
    const input = event.currentTarget;
    const [file] = input.files ?? [];
    if (file === undefined) return;
    const added = await addition.run(async () => {
      const sent = { name: file.name, content: await base64(file) };
      return await body(api.POST(LIST, { params: { path }, body: sent }));
    });
    // Without this reset, the browser ignores a second selection of the same file.
    input.value = '';
    if (!added) return;
    toast(`${isolated(file.name)} was added.`);
    again((count) => count + 1);
  };
  const removal = useAction();
  const address = (/** @type {string} */ id) => ONE.replace('{companyId}', path.companyId).replace('{workerId}', path.workerId).replace('{documentId}', id);
  const confirm = async () => {
    const documentId = deleted?.documentId ?? '';
    const done = await removal.run(async () => {
      await body(api.DELETE(ONE, { params: { path: { ...path, documentId } } }));
      return true;
    });
    if (!done) return;
    choose(undefined);
    toast('The document was deleted.');
    again((count) => count + 1);
  };
  const columns = [
    { title: 'Name', cell: (/** @type {Stored} */ it) => it.name },
    { title: 'Category', cell: (/** @type {Stored} */ it) => it.categoryId ?? '–' },
    { title: 'Type', cell: (/** @type {Stored} */ it) => it.contentType },
    { title: 'Size', number: true, cell: (/** @type {Stored} */ it) => sizeText(it.size) },
    { title: 'Added', cell: (/** @type {Stored} */ it) => html`<${Day} value=${it.createdDate} />` },
    { title: 'Actions', cell: (/** @type {Stored} */ it) => html`<span class="row-actions">
      <button type="button" class="quiet" disabled=${download.busy} onClick=${() => download.run(() => save(address(it.documentId), 'application/octet-stream', it.name))}>Download</button>
      ${mayWrite('payroll') ? html`<button type="button" class="quiet" onClick=${() => choose(it)}>Delete</button>` : null}</span>` },
  ];
  return html`
    <h2>Documents</h2>
    <${Failed} error=${download.error ?? addition.error} />
    ${mayWrite('payroll') ? html`<label class="field">Add a document (PDF, PNG, JPEG, text or CSV, at most 10 MiB)
      <input id="document-file" type="file" accept=".pdf,.png,.jpg,.jpeg,.txt,.csv" disabled=${addition.busy} onChange=${add} /></label>` : null}
    <${Loaded} of=${documents} what="the documents">
      ${(/** @type {{items: Stored[]}} */ { items }) => html`<${Table} label="Documents" items=${items} columns=${columns} empty="The worker has no document." />`}
    <//>
    ${deleted ? html`<${Dialog} title=${`Delete ${isolated(deleted.name)}?`} confirm="Delete" danger busy=${removal.busy} error=${removal.error} onConfirm=${confirm} onClose=${() => choose(undefined)}>
      <p>The document disappears immediately, and its content is deleted within about an hour. You cannot undo this.</p><//>` : null}
  `;
}
