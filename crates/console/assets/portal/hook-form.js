// The form that registers or changes a hook. Its fields and texts come from the description of the partner
// API.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { body, idempotencyKey } from '../api/http.js';
import { useAction, useLoad } from '../api/load.js';
import { Dialog } from '../parts/dialog.js';
import { Failed, Loading } from '../parts/feedback.js';
import { placedFaults } from '../parts/faults.js';
import { Faults, MemberFields } from '../parts/fields.js';
import { html } from '../parts/html.js';
import { alternativesOf, fieldsOf } from '../parts/schema.js';
import { choiceText } from '../parts/values.js';
import { api, base, useCaller } from './client.js';
import { companies } from './companies.js';
import { events } from './events.js';

/** @typedef {import('./client.js').Schemas['Hook']} Hook */
/** @typedef {import('./client.js').Schemas['HookChange']} Change */
/** @typedef {import('../parts/schema.js').Field} Field */
/** @typedef {import('../parts/fields.js').Shared} Shared */
/** @typedef {{help: string, fields: Field[]}} Method a method of authentication */
/** @typedef {{fields: Field[], types: string[], methods: Method[], events: import('./events.js').Event[]}} Form */
/** The members of a hook as entered.
 * @typedef {{uri?: string, domains?: string[], authentication?: any, hookId?: string, companyId?: string, ordered?: boolean | null,
 *   maxAttempts?: number | null, maxPerSecond?: number | null}} Draft */

/** The members that order or limit the notifications of a hook. */
const OPTIONS = /** @type {const} */ (['ordered', 'maxAttempts', 'maxPerSecond']);

/** The names of the types of authentication. @type {Record<string, string>} */
export const AUTHENTICATION = {
  BASIC_AUTH: 'Basic authentication',
  APIKEY: 'API key',
  OAUTH2: 'OAuth 2, id and secret in the query',
  OAUTH2_BASIC: 'OAuth 2, id and secret in the Authorization header',
};

/** @returns {Promise<Form>} */
async function form() {
  const [fields, [type], methods, catalogue] = await Promise.all([
    fieldsOf(base, 'HookInput'),
    fieldsOf(base, 'Hook').then((all) => all.filter((it) => it.name === 'authType')),
    alternativesOf(base, 'HookAuthentication'),
    events(),
  ]);
  return { fields, types: type?.choices ?? [], methods, events: catalogue };
}

/** Returns the method of a type of authentication. @param {Method[]} methods @param {string | undefined} type */
function methodOf(methods, type) {
  return methods.find(({ fields }) => type !== undefined && fields.some((it) => it.name === 'authType' && it.choices.includes(type)));
}

/**
 * Returns the members of a hook that differ from the stored ones. Cleared members are sent empty, so that the
 * server reports them.
 *
 * @param {Hook} stored
 * @param {Draft} draft
 * @returns {Change}
 */
function changes(stored, draft) {
  const { uri = '', domains = [], authentication } = draft;
  const sorted = (/** @type {string[]} */ list) => [...list].sort().join();
  return {
    ...(uri === stored.uri ? {} : { uri }),
    ...(sorted(domains) === sorted(stored.domains) ? {} : { domains: /** @type {Hook['domains']} */ (domains) }),
    ...(authentication ? { authentication } : {}),
    ...Object.fromEntries(OPTIONS.filter((name) => (draft[name] ?? null) !== (stored[name] ?? null)).map((name) => [name, draft[name] ?? null])),
  };
}

/** Returns the members of a stored hook that the form changes. @param {Hook} hook @returns {Draft} */
function draftOf({ uri, domains, ordered, maxAttempts, maxPerSecond }) {
  return { uri, domains, ordered, maxAttempts, maxPerSecond };
}

/**
 * @param {{done: (hook: Hook) => void, close: () => void, stored?: {item: Hook, tag: string}}} props `stored` is the hook to
 *   change. Without it, the form registers a hook.
 */
export function HookForm({ done, close, stored }) {
  const loaded = useLoad(form, []);
  const [draft, setDraft] = useState(/** @type {Draft} */ (stored ? draftOf(stored.item) : {}));
  const sent = useRef({ text: '', key: '' });
  const { busy, error, run } = useAction();
  const register = () => {
    // The same document in two requests registers one hook. A corrected document is another request. If
    // the document is not empty, the server reports each missing member.
    const text = JSON.stringify({ uri: '', domains: [], ...draft });
    if (sent.current.text !== text) sent.current = { text, key: idempotencyKey() };
    const params = { header: { 'Idempotency-Key': sent.current.key } };
    return body(api.POST('/management/hooks', { params, body: JSON.parse(text) }));
  };
  const change = (/** @type {{item: Hook, tag: string}} */ { item, tag }) => {
    const changed = changes(item, draft);
    if (Object.keys(changed).length === 0) return Promise.resolve(item);
    const params = { path: { hookId: item.hookId }, header: { 'If-Match': tag } };
    return body(api.PATCH('/management/hooks/{hookId}', { params, body: changed }));
  };
  const submit = () => run(async () => done(await (stored ? change(stored) : register())));
  const fields = loaded.value?.fields ?? [];
  const method = methodOf(loaded.value?.methods ?? [], draft.authentication?.authType);
  const authentication = /** @type {Field} */ ({ kind: 'object', name: 'authentication', members: method?.fields ?? [] });
  const { placed, rest } = placedFaults([...fields, authentication], error);
  return html`<${Dialog} title=${stored ? 'Change the hook' : 'Register a hook'} confirm=${stored ? 'Save' : 'Register'} wide busy=${busy}
    disabled=${loaded.value === undefined} error=${rest} onConfirm=${submit} onClose=${close}>
    ${loaded.value
      ? html`<${Members} form=${loaded.value} stored=${stored?.item} draft=${draft} change=${setDraft} placed=${placed} method=${method} />`
      : html`<${loaded.error ? Failed : Loading} error=${loaded.error} what="the form" />`}
    ${placed.size > 0 ? html`<p class="failed" role="alert">Correct the marked fields. Nothing was stored.</p>` : null}
  <//>`;
}

/**
 * @param {{form: Form, stored: Hook | undefined, draft: Draft, change: (draft: Draft) => void,
 *   placed: import('../parts/faults.js').Placed, method: Method | undefined}} props
 */
function Members({ form: { fields, types, events: catalogue }, stored, draft, change, placed, method }) {
  const caller = useCaller();
  const area = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (placed.size > 0) /** @type {HTMLElement | null | undefined} */ (area.current?.querySelector('[aria-invalid="true"]'))?.focus();
  }, [[...placed.keys()].join()]);
  // An application without permission to list companies enters the id.
  const isListed = caller?.scopes.includes('read:companies');
  const shared = { placed, ownId: 'hookId', sourceOf: (/** @type {string} */ name) => (name === 'companyId' && isListed ? companies : undefined) };
  const named = (/** @type {string[]} */ ...names) => fields.filter((it) => names.includes(it.name));
  const common = { pointer: '', value: draft, onChange: change, shared };
  const [domains] = named('domains');
  return html`<div ref=${area} class="form">
    <div class="wide"><${MemberFields} ...${common} fields=${named('uri')} /></div>
    ${domains
      ? html`<${Domains} field=${domains} catalogue=${catalogue} chosen=${draft.domains ?? []} faults=${placed.get('/domains') ?? []}
          onChange=${(/** @type {string[]} */ chosen) => change({ ...draft, domains: chosen })} />`
      : null}
    <${Authentication} types=${types} method=${method} current=${stored?.authType} value=${draft.authentication} shared=${shared}
      onChange=${(/** @type {any} */ authentication) => change({ ...draft, authentication })} />
    <fieldset class="wide"><legend>Order and limits</legend>
      <div class="form"><${MemberFields} ...${common} fields=${named(...OPTIONS)} /></div>
    </fieldset>
    ${stored ? null : html`<${MemberFields} ...${common} fields=${named('companyId', 'hookId')} />`}
  </div>`;
}

/**
 * A checkbox for each domain.
 *
 * @param {{field: Field, catalogue: import('./events.js').Event[], chosen: string[], faults: import('../api/http.js').Fault[],
 *   onChange: (chosen: string[]) => void}} props
 */
function Domains({ field, catalogue, chosen, faults, onChange }) {
  const id = useId();
  const toggle = (/** @type {string} */ domain) =>
    onChange(field.choices.filter((it) => (it === domain) !== chosen.includes(it)));
  const summaryOf = (/** @type {string} */ domain) => catalogue.find((it) => it.domain === domain)?.summary ?? '';
  return html`<fieldset class="wide" aria-describedby=${`${id}-help ${id}-faults`}>
    <legend>Domains</legend>
    <span class="hint" id=${`${id}-help`}>The changes that the hook receives. Choose at least one.</span>
    <div class="form">
      ${field.choices.map((domain) => html`<label class="flag" key=${domain}>
        <input type="checkbox" checked=${chosen.includes(domain)} aria-invalid=${faults.length > 0} aria-describedby=${`${id}-faults`}
          onChange=${() => toggle(domain)} />
        <span><code>${domain}</code> <span class="hint">${summaryOf(domain)}</span></span></label>`)}
    </div>
    <${Faults} id=${`${id}-faults`} faults=${faults} />
  </fieldset>`;
}

/**
 * The type of authentication and its fields. `current` is the type of a stored hook, whose credentials the API never returns.
 *
 * @param {{types: string[], method: Method | undefined, current: string | undefined, value: any, shared: Shared,
 *   onChange: (value: any) => void}} props
 */
function Authentication({ types, method, current, value, shared, onChange }) {
  const id = useId();
  const faults = [...(shared.placed.get('/authentication') ?? []), ...(shared.placed.get('/authentication/authType') ?? [])];
  const choose = (/** @type {any} */ event) => onChange(event.target.value === '' ? undefined : { authType: event.target.value });
  const name = (/** @type {string} */ type) => AUTHENTICATION[type] ?? choiceText(type);
  const members = (method?.fields ?? []).filter((it) => it.name !== 'authType')
    .sort((one, other) => Number(other.required) - Number(one.required));
  return html`<fieldset class="wide"><legend>Authentication</legend>
    <div class="field">
      <label for=${id}>Type of authentication</label>
      <select id=${id} aria-required=${current === undefined} aria-invalid=${faults.length > 0} aria-describedby=${`${id}-help ${id}-faults`}
        value=${value?.authType ?? ''} onChange=${choose}>
        <option value="" selected=${!value}>${current ? `Keep the stored credentials (${name(current)})` : 'Choose …'}</option>
        ${types.map((type) => html`<option value=${type} selected=${value?.authType === type}>${name(type)}</option>`)}
      </select>
      <span class="hint" id=${`${id}-help`}>The credentials that the server sends to your receiver. They are never shown again.</span>
      <${Faults} id=${`${id}-faults`} faults=${faults} />
    </div>
    <div class="form"><${MemberFields} key=${value?.authType} fields=${members} pointer="/authentication" value=${value} onChange=${onChange} shared=${shared} /></div>
  </fieldset>`;
}
