// A list of objects with buttons for creating, editing and deleting. An empty list explains how to fill it.
import { useState } from 'preact/hooks';
import { page } from '../client/client.js';
import { useAction } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { Empty } from '../parts/feedback.js';
import { html, isolated } from '../parts/html.js';
import { Icon } from '../parts/icons.js';
import { toast } from '../parts/toast.js';
import { WindowedTable } from '../parts/windowed.js';
import { list, mayChange, mayCreate, read, remove } from './kinds.js';
import { ObjectForm } from './object-form.js';

/** @typedef {import('./kinds.js').ObjectKind} ObjectKind */
/** @typedef {Record<string, string>} Path */
/**
 * Special parts of the form for a new object.
 *
 * @typedef {{add: (document: any, key: string) => Promise<any>, extra: any}} FormParts
 */

/**
 * A button that opens the form for a new object.
 *
 * @param {{kind: ObjectKind, path: Path, created: (object: any) => void, title?: string, form?: FormParts}} props
 */
export function NewButton({ kind, path, created, title = `New ${kind.noun}`, form }) {
  const [isOpen, open] = useState(false);
  if (!mayCreate(kind)) return null;
  const done = (/** @type {any} */ object) => {
    open(false);
    toast(`The ${kind.noun} was created.`);
    created(object);
  };
  return html`<button type="button" class="primary" onClick=${() => open(true)}><${Icon} name="plus" />${title}</button>
    ${isOpen ? html`<${ObjectForm} kind=${kind} path=${path} done=${done} close=${() => open(false)} ...${form} />` : null}`;
}

/**
 * A button that opens the form for a stored object. The form contains the version that is stored when the
 * button is pressed.
 *
 * @param {{kind: ObjectKind, path: Path, id: string, saved: () => void, title?: string, quiet?: boolean}} props
 */
export function EditButton({ kind, path, id, saved, title = 'Edit', quiet = false }) {
  const [stored, setStored] = useState(/** @type {import('./object-form.js').Stored | undefined} */ (undefined));
  const { busy, error, run } = useAction();
  if (!mayChange(kind)) return null;
  const open = () => run(async () => setStored(await read(kind, path, id)));
  const done = () => {
    setStored(undefined);
    toast('The changes are saved.');
    saved();
  };
  return html`<button type="button" class=${quiet ? 'quiet' : ''} disabled=${busy} onClick=${open}>${title}</button>
    ${error ? html`<span role="alert">The object could not be loaded. Try again.</span>` : null}
    ${stored ? html`<${ObjectForm} kind=${kind} path=${path} stored=${stored} done=${done} close=${() => setStored(undefined)} />` : null}`;
}

/**
 * A button that deletes an object after a dialog that explains the consequence.
 *
 * @param {{kind: ObjectKind, path: Path, id: string, name: string, deleted: () => void, verb?: string, quiet?: boolean}} props
 */
export function DeleteButton({ kind, path, id, name, deleted, verb = 'Delete', quiet = true }) {
  const [isOpen, open] = useState(false);
  const { busy, error, run, clear } = useAction();
  if (!mayChange(kind)) return null;
  const confirm = async () => {
    const done = await run(async () => remove(kind, path, id, (await read(kind, path, id)).tag));
    if (!done) return;
    open(false);
    toast(`The ${kind.noun} was ${verb === 'Revoke' ? 'revoked' : 'deleted'}.`);
    deleted();
  };
  const begin = () => {
    clear();
    open(true);
  };
  return html`<button type="button" class=${quiet ? 'quiet' : 'danger'} onClick=${begin}>${verb}</button>
    ${isOpen
      ? html`<${Dialog} title=${`${verb} ${isolated(name)}?`} confirm=${verb} danger busy=${busy} error=${error} onConfirm=${confirm} onClose=${() => open(false)}>
          <p>${kind.consequence}</p><//>`
      : null}`;
}

/**
 * @param {{
 *   kind: ObjectKind, path: Path, title: string, columns: import('../parts/windowed.js').Column<any>[], hint?: any,
 *   created?: (object: any) => void, verb?: string, isEditable?: boolean, changed?: () => void,
 *   form?: FormParts,
 * }} props
 */
export function ObjectList({ kind, path, title, columns, hint, created, verb, isEditable = true, changed, form }) {
  const [round, again] = useState(0);
  const reload = () => {
    again((count) => count + 1);
    changed?.();
  };
  const load = (/** @type {number} */ offset, /** @type {number} */ limit) =>
    /** @type {Promise<{items: any[], total: number}>} */ (page(list(kind, path, { offset, limit })));
  const button = html`<${NewButton} kind=${kind} path=${path} form=${form} created=${(/** @type {any} */ object) => { reload(); created?.(object); }} />`;
  const actions = {
    title: 'Actions',
    cell: (/** @type {any} */ it) => html`<span class="row-actions">
      ${isEditable ? html`<${EditButton} kind=${kind} path=${path} id=${it[kind.ownId]} saved=${reload} quiet />` : null}
      <${DeleteButton} kind=${kind} path=${path} id=${it[kind.ownId]} name=${kind.nameOf(it) || kind.noun} deleted=${reload} verb=${verb} /></span>`,
  };
  const key = Object.values(path).join('/');
  return html`<section>
    <div class="title"><h2>${title}</h2>${button}</div>
    ${hint ? html`<p class="hint">${hint}</p>` : null}
    <${WindowedTable} label=${title} load=${load} inputs=${[kind.list, key, round]} columns=${mayChange(kind) ? [...columns, actions] : columns}
      empty=${html`<${Empty} title=${`There is no ${kind.noun} yet.`}>${mayCreate(kind) ? html`<p class="hint">Create the first one with the button above.</p>` : null}<//>`} />
  </section>`;
}
