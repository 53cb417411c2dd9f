// A form that creates or edits an object. The fields come from the API description of the server, and the
// server's faults appear at the fields. The same document can be edited as JSON.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, base as server, idempotencyKey } from '../client/client.js';
import { useAction, useLoad } from '../api/load.js';
import { mergePatch } from './merge-patch.js';
import { Dialog } from '../parts/dialog.js';
import { Failed, Loading } from '../parts/feedback.js';
import { html, isolated } from '../parts/html.js';
import { hasFaults, placedFaults } from '../parts/faults.js';
import { MemberFields } from '../parts/fields.js';
import { fieldsOf } from '../parts/schema.js';
import { change, create, read } from './kinds.js';
import { sourceOf } from './references.js';

/** @typedef {import('./kinds.js').ObjectKind} ObjectKind */
/** @typedef {import('../parts/schema.js').Field} Field */
/** A stored object and its entity tag. @typedef {{item: any, tag: string}} Stored */

/**
 * @param {{
 *   kind: ObjectKind, path: Record<string, string>, done: (object: any) => void, close: () => void, stored?: Stored, extra?: any,
 *   add?: (document: any, key: string) => Promise<any>,
 * }} props `stored` is the object to edit. Without it, the form creates an object, with `add` if the kind
 *   has a special operation. `extra` contains additional fields.
 */
export function ObjectForm({ kind, path, done, close, stored, add, extra }) {
  const fields = useLoad(() => fieldsOf(server, kind.schema), [kind.schema]);
  const [base, setBase] = useState(stored);
  const [document, setDocument] = useState(/** @type {any} */ (stored?.item ?? kind.defaults ?? {}));
  const [text, setText] = useState(/** @type {string | undefined} */ (undefined));
  const [problem, setProblem] = useState('');
  const [newer, setNewer] = useState(/** @type {Stored | undefined} */ (undefined));
  const sent = useRef({ text: '', key: '' });
  const { busy, error, run } = useAction();
  const send = async (/** @type {any} */ wanted) => {
    if (!base) {
      // The same document in two requests creates one object. A corrected document is another request.
      const content = JSON.stringify(wanted);
      if (sent.current.text !== content) sent.current = { text: content, key: idempotencyKey() };
      return add ? add(wanted, sent.current.key) : create(kind, path, wanted, sent.current.key);
    }
    const id = base.item[kind.ownId];
    try {
      await change(kind, path, id, mergePatch(base.item, wanted), base.tag);
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 412) setNewer(await read(kind, path, id));
      throw failure;
    }
    return wanted;
  };
  const submit = async () => {
    const wanted = text === undefined ? document : parsed(text, setProblem);
    if (wanted === undefined) return;
    setDocument(wanted);
    await run(async () => done(await send(wanted)));
  };
  const toggle = () => {
    if (text === undefined) return setText(JSON.stringify(document, null, 2));
    const wanted = parsed(text, setProblem);
    if (wanted === undefined) return;
    setDocument(wanted);
    setText(undefined);
  };
  const take = (/** @type {boolean} */ isReplaced) => {
    if (!newer) return;
    // The form keeps the differences between its document and the version that the operator has read. Members
    // that the form does not show get their new values.
    setBase(isReplaced || !base ? newer : { item: base.item, tag: newer.tag });
    if (isReplaced) {
      setDocument(newer.item);
      if (text !== undefined) setText(JSON.stringify(newer.item, null, 2));
    }
    setNewer(undefined);
  };
  const { placed, rest } = placedFaults(text === undefined ? usableFields(kind, fields.value ?? [], !stored) : [], error);
  const title = stored ? `Edit ${isolated(kind.nameOf(stored.item)) || kind.noun}` : `New ${kind.noun}`;
  return html`<${Dialog} title=${title} confirm=${stored ? 'Save' : 'Create'} wide busy=${busy} disabled=${newer !== undefined}
    error=${rest} onConfirm=${submit} onClose=${close}>
    ${text === undefined
      ? html`<${Fields} kind=${kind} path=${path} fields=${fields.value} document=${document} change=${setDocument} placed=${placed}
          isNew=${!stored} />`
      : html`<label for="document">Document</label>
          <textarea id="document" spellcheck=${false} value=${text} aria-describedby="document-problem"
            onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea>`}
    ${extra}
    <p id="document-problem" role="alert">${problem}</p>
    <p class="mode"><button type="button" class="quiet" onClick=${toggle}>${text === undefined ? 'Edit as JSON' : 'Edit as form'}</button></p>
    <${Failed} error=${fields.error} />
    ${placed.size > 0 ? html`<p class="failed" role="alert">Correct the marked fields. Nothing was stored.</p>` : null}
    ${newer ? html`<${Newer} newer=${newer} take=${take} />` : null}
  <//>`;
}

/**
 * Returns the fields that can be entered. The id of a stored object does not change.
 *
 * @param {ObjectKind} kind
 * @param {Field[]} fields
 * @param {boolean} isNew
 */
function usableFields(kind, fields, isNew) {
  return fields.filter((field) => (isNew || field.name !== kind.ownId) && !kind.hidden?.includes(field.name));
}

/** @param {string} text @param {(problem: string) => void} report */
function parsed(text, report) {
  try {
    const document = JSON.parse(text);
    report('');
    return document;
  } catch (fault) {
    report(fault instanceof Error ? fault.message : 'The text is not valid JSON.');
    return undefined;
  }
}

/**
 * @param {{kind: ObjectKind, path: Record<string, string>, fields: Field[] | undefined, document: any, isNew: boolean,
 *   change: (document: any) => void, placed: import('../parts/faults.js').Placed}} props
 */
function Fields({ kind, path, fields, document, change: changed, placed, isNew }) {
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (placed.size > 0) /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector('[aria-invalid="true"]'))?.focus();
  }, [[...placed.keys()].join()]);
  if (!fields) return html`<${Loading} what="the form" />`;
  const isFirst = (/** @type {Field} */ field) => field.required || kind.first.includes(field.name);
  const usable = usableFields(kind, fields, isNew);
  const more = usable.filter((field) => !isFirst(field));
  const first = usable.filter(isFirst).sort((one, other) => Number(other.required) - Number(one.required));
  const shared = { placed, ownId: kind.ownId,
    sourceOf: (/** @type {string} */ name, /** @type {string} */ ownId) => sourceOf(name, ownId, { companyId: path.companyId }) };
  const common = { pointer: '', value: document, onChange: changed, shared };
  return html`<div ref=${form}>
    <div class="form"><${MemberFields} ...${common} fields=${first} /></div>
    ${more.length > 0
      ? html`<details class="more" open=${more.some((field) => hasFaults(placed, `/${field.name}`))}>
          <summary>More fields</summary><div class="form"><${MemberFields} ...${common} fields=${more} /></div>
        </details>`
      : null}
  </div>`;
}

/**
 * Shown when another operator has changed the object in the meantime.
 *
 * @param {{newer: Stored, take: (isReplaced: boolean) => void}} props
 */
function Newer({ newer, take }) {
  return html`<div class="warned">
    <p><strong>Another operator has changed this object while you edited it. Nothing was stored yet.</strong> “Keep my changes” stores only the values that you changed. “Start again from the stored version” discards them. The stored version:</p>
    <pre tabindex="0">${JSON.stringify(newer.item, null, 2)}</pre>
    <div class="actions">
      <button type="button" onClick=${() => take(true)}>Start again from the stored version</button>
      <button type="button" onClick=${() => take(false)}>Keep my changes</button>
    </div>
  </div>`;
}
