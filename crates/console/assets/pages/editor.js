// Changes an object in the version that was read: what differs is sent as a merge patch. When somebody else
// was faster, both are shown.
import { useState } from 'preact/hooks';
import { ApiError } from '../client/client.js';
import { useAction } from '../api/load.js';
import { mayWrite } from '../client/session.js';
import { Dialog } from '../parts/dialog.js';
import { html } from '../parts/html.js';

/**
 * What has to be changed in an object to make it another (RFC 7396).
 *
 * @param {any} before
 * @param {any} after
 * @returns {any}
 */
export function mergePatch(before, after) {
  const isObject = (/** @type {any} */ value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(before) || !isObject(after)) return after;
  /** @type {Record<string, any>} */
  const patch = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    if (JSON.stringify(before[name]) === JSON.stringify(value)) continue;
    patch[name] = name in before ? mergePatch(before[name], value) : value;
  }
  return patch;
}

/**
 * @param {{
 *   title: string, object: any, tag: string, saved: () => void,
 *   load: () => Promise<{item: any, tag: string}>,
 *   save: (patch: any, tag: string) => Promise<unknown>,
 * }} props
 */
export function Editor({ title, object, tag, saved, load, save }) {
  const [open, setOpen] = useState(false);
  if (!mayWrite()) return null;
  const close = () => setOpen(false);
  return html`
    <p><button type="button" onClick=${() => setOpen(true)}>${title}</button></p>
    ${open ? html`<${Editing} title=${title} object=${object} tag=${tag} load=${load} save=${save} close=${close}
      saved=${() => { close(); saved(); }} />` : null}
  `;
}

/**
 * @param {{
 *   title: string, object: any, tag: string, saved: () => void, close: () => void,
 *   load: () => Promise<{item: any, tag: string}>,
 *   save: (patch: any, tag: string) => Promise<unknown>,
 * }} props
 */
function Editing({ title, object, tag, saved, close, load, save }) {
  const [base, setBase] = useState({ item: object, tag });
  const [text, setText] = useState(() => JSON.stringify(object, null, 2));
  const [newer, setNewer] = useState(/** @type {{item: any, tag: string} | undefined} */ (undefined));
  const [problem, setProblem] = useState('');
  const { busy, error, run } = useAction();
  const submit = async () => {
    let wanted;
    try {
      wanted = JSON.parse(text);
      setProblem('');
    } catch (fault) {
      setProblem(fault instanceof Error ? fault.message : 'This is no JSON.');
      return;
    }
    const done = await run(async () => {
      try {
        await save(mergePatch(base.item, wanted), base.tag);
      } catch (failure) {
        if (failure instanceof ApiError && failure.status === 412) setNewer(await load());
        throw failure;
      }
    });
    if (done) saved();
  };
  const takeNewer = () => {
    if (!newer) return;
    setBase(newer);
    setText(JSON.stringify(newer.item, null, 2));
    setNewer(undefined);
  };
  const overwrite = () => {
    if (!newer) return;
    setBase(newer);
    setNewer(undefined);
  };
  return html`<${Dialog} title=${title} confirm="Save" busy=${busy} error=${error} disabled=${newer !== undefined}
    onConfirm=${submit} onClose=${close}>
    <label for="document">Document</label>
    <textarea id="document" spellcheck=${false} value=${text} aria-describedby="document-problem"
      onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea>
    <p id="document-problem" role="alert">${problem}</p>
    ${newer
      ? html`<div class="warned">
          <p><strong>Somebody else has changed it meanwhile.</strong> This is how it is stored now:</p>
          <pre tabindex="0">${JSON.stringify(newer.item, null, 2)}</pre>
          <div class="actions">
            <button type="button" onClick=${takeNewer}>Begin again with that</button>
            <button type="button" onClick=${overwrite}>Keep mine, to save it over that</button>
          </div>
        </div>`
      : null}
  <//>`;
}
