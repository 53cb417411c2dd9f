// Composes a check. A dry run validates the check during typing and shows each fault at its field.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { body, idempotencyKey, page } from '../api/http.js';
import { useAction, useLoad } from '../api/load.js';
import { Failed } from '../parts/feedback.js';
import { html, isolated } from '../parts/html.js';
import { Id } from '../parts/values.js';
import { Choice, Field } from './composer-fields.js';
import { composed, curlLine, emptyLine, faultsByField } from './composer-document.js';
import { ComposedLine } from './composer-line.js';
import { api, base, vendor } from './client.js';

/** @typedef {import('./composer-document.js').Draft} Draft */
/** @typedef {import('./client.js').Schemas['UnprocessedCheck']} ValidatedCheck */

/** Maximum number of list elements that are offered. If a list is longer, the user types the id. */
const OFFERED = 200;
/** Time in milliseconds without typing after which the input is validated. */
const PAUSE = 400;

const MEDIA_TYPE = /** @type {const} */ ('application/vnd.vendor.payroll.checks.v1+json');

/** Sends the checks. @param {string} companyId @param {string} text @param {{dryrun: boolean, key?: string, signal?: AbortSignal}} how */
function send(companyId, text, { dryrun, key, signal }) {
  return api.POST('/companies/{companyId}/checks', {
    params: { path: { companyId }, query: dryrun ? { dryrun } : {}, header: key ? { 'Idempotency-Key': key } : {} },
    headers: { 'Content-Type': MEDIA_TYPE.replace('vendor', vendor), Accept: 'application/json' },
    // The request contains exactly the bytes of the displayed text.
    body: JSON.parse(text),
    bodySerializer: () => text,
    signal,
  });
}

/** The lists from which the user selects in a company. @param {string} companyId */
function useLists(companyId) {
  const params = { path: { companyId } };
  const workers = useLoad(async () => companyId === '' ? undefined : page(api.GET('/companies/{companyId}/workers', {
    params: { ...params, query: { limit: OFFERED } },
    // With this media type, the response contains only the fields for the selection.
    headers: { Accept: `application/vnd.${vendor}.workers.roster.v1+json` },
  })), [companyId]);
  const periods = useLoad(async () => companyId === '' ? undefined : page(api.GET('/companies/{companyId}/payperiods', {
    params: { ...params, query: { limit: OFFERED, status: ['INITIAL', 'ENTRY'] } },
  })), [companyId]);
  const components = useLoad(async () => companyId === '' ? undefined : page(api.GET('/companies/{companyId}/paycomponents', {
    params: { ...params, query: { limit: OFFERED } },
  })), [companyId]);
  return { workers, periods, components };
}

/**
 * Returns the server's validation result, shortly after the checks were changed.
 *
 * @param {string} companyId
 * @param {string} text
 */
function useValidation(companyId, text) {
  const [state, change] = useState(/** @type {{of: string, checks?: ValidatedCheck[], error?: unknown}} */ ({ of: '' }));
  useEffect(() => {
    if (companyId === '') return undefined;
    const validation = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { content } = await body(send(companyId, text, { dryrun: true, signal: validation.signal }));
        if (!validation.signal.aborted) change({ of: text, checks: /** @type {ValidatedCheck[]} */ (content) });
      } catch (error) {
        if (!validation.signal.aborted) change({ of: text, error });
      }
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      validation.abort();
    };
  }, [companyId, text]);
  return { ...state, current: state.of === text };
}

export function Composer() {
  const [draft, setDraft] = useState(/** @type {Draft} */ ({
    companyId: '', payPeriodId: '', workerId: '', correlationId: 'check-1', lines: [emptyLine()],
  }));
  const set = (/** @type {Partial<Draft>} */ part) => setDraft((before) => ({ ...before, ...part }));
  const companies = useLoad(() => page(api.GET('/companies', { params: { query: { limit: OFFERED } } })), []);
  const { workers, periods, components } = useLists(draft.companyId);
  const effectOf = (/** @type {string} */ id) => components.value?.items.find((it) => it.componentId === id)?.effectOnPay;
  const { checks, places } = composed(draft, effectOf);
  const text = JSON.stringify(checks, null, 2);
  const validated = useValidation(draft.companyId, text);
  const { at, others } = faultsByField(validated.error, places);
  return html`
    <h1>Check composer</h1>
    <p class="hint">While you type, dry runs validate the check. They store nothing, but count as requests of your application.</p>
    <${Failed} error=${companies.error ?? workers.error ?? periods.error ?? components.error} />
    <form class="composer" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <div class="filters">
        <${Choice} label="Company" value=${draft.companyId} list=${companies.value} offered=${OFFERED}
          onChange=${(/** @type {string} */ companyId) => set({ companyId, payPeriodId: '', workerId: '', lines: [emptyLine()] })}
          option=${(/** @type {import('./client.js').Schemas['Company']} */ it) => [it.companyId, `${isolated(it.legalName)} (${it.displayId})`]} />
        <${Choice} label="Open pay period" value=${draft.payPeriodId} list=${periods.value} offered=${OFFERED} faults=${at('payPeriodId')}
          onChange=${(/** @type {string} */ payPeriodId) => set({ payPeriodId })}
          option=${(/** @type {import('./client.js').Schemas['PayPeriod']} */ it) => [it.payPeriodId, `${isolated(it.description ?? it.payPeriodId)}, paid on ${it.checkDate.slice(0, 10)}`]} />
        <${Choice} label="Worker" value=${draft.workerId} list=${workers.value} offered=${OFFERED} faults=${at('workerId')}
          onChange=${(/** @type {string} */ workerId) => set({ workerId })}
          option=${(/** @type {import('./client.js').Schemas['RosterWorker']} */ it) => [it.workerId, `${isolated(`${it.name.givenName ?? ''} ${it.name.familyName ?? ''}`)} (${it.employeeId ?? it.workerId})`]} />
        <${Field} label="Correlation id" value=${draft.correlationId} faults=${at('correlationId')}
          onInput=${(/** @type {string} */ correlationId) => set({ correlationId })} />
      </div>
      ${draft.lines.map((line, index) => html`<${ComposedLine} key=${index} number=${index + 1} line=${line} at=${(/** @type {string} */ name) => at(`lines/${index}/${name}`)}
        components=${components.value} offered=${OFFERED}
        onChange=${(/** @type {object} */ part) => set({ lines: draft.lines.map((it, other) => (other === index ? { ...it, ...part } : it)) })}
        onRemove=${draft.lines.length > 1 ? () => set({ lines: draft.lines.filter((_, other) => other !== index) }) : undefined} />`)}
      <p><button type="button" onClick=${() => set({ lines: [...draft.lines, emptyLine()] })}>Add a line</button></p>
    </form>
    ${draft.companyId === '' ? html`<p class="hint">Choose a company first.</p>` : html`
      <p role="status">${!validated.current ? 'Validating …' : validated.error ? 'The check has faults.' : 'The check is valid.'}</p>
      ${validated.current && validated.error ? html`<${Failed} error=${others} />` : null}
      ${validated.current && validated.checks ? html`<details><summary>The check as it would be stored</summary>
        <pre tabindex="0">${JSON.stringify(validated.checks, null, 2)}</pre></details>` : null}
      <${Sending} companyId=${draft.companyId} text=${text} sendable=${validated.current && !validated.error} />
    `}
  `;
}

/**
 * The text to send, and the button that sends it.
 *
 * @param {{companyId: string, text: string, sendable: boolean}} props
 */
function Sending({ companyId, text, sendable }) {
  const { busy, error, run } = useAction();
  const [sent, setSent] = useState(/** @type {{key: string, paycheckId: string} | undefined} */ (undefined));
  const sentKeys = useRef(/** @type {Map<string, string>} */ (new Map()));
  const request = JSON.stringify([companyId, text]);
  // A request that was sent before gets the same key again, even if the text was changed in the meantime. Any
  // other request gets a new key.
  const key = useMemo(() => sentKeys.current.get(request) ?? idempotencyKey(), [request]);
  const go = () => run(async () => {
    // The key is stored before the response arrives, because the response can be lost after the server has
    // stored the check.
    sentKeys.current.set(request, key);
    const { content: [stored] } = await body(send(companyId, text, { dryrun: false, key }));
    setSent({ key, paycheckId: stored?.paycheckId ?? '' });
  });
  return html`
    <div class="actions"><button type="button" class="primary" disabled=${busy || !sendable} onClick=${go}>Add the check</button></div>
    <${Failed} error=${error} />
    <p role="status">${sent?.key === key ? html`The check is stored with the id <${Id} value=${sent.paycheckId} />. Sending it again does not store a second check.` : ''}</p>
    <h2>Request</h2>
    <pre tabindex="0" aria-label="The document">${text}</pre>
    <h2>curl command</h2>
    <p class="hint">Set your access token in <code>$TOKEN</code>.</p>
    <pre tabindex="0" aria-label="Command for curl">${curlLine({ base, companyId, key, text, mediaType: MEDIA_TYPE.replace('vendor', vendor) })}</pre>
  `;
}
