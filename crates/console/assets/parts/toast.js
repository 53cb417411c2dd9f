// Short messages about completed actions, which disappear automatically.
import { useEffect, useState } from 'preact/hooks';
import { html } from './html.js';

/** Time in milliseconds for which a message is shown. */
const SHOWN = 6000;

/** @type {(text: string) => void} */
let show = () => {};

/** Shows a message. @param {string} text */
export function toast(text) {
  show(text);
}

/** The area for messages, which exists once on a page. Screen readers read new messages. */
export function Toasts() {
  const [messages, setMessages] = useState(/** @type {{id: number, text: string}[]} */ ([]));
  useEffect(() => {
    let count = 0;
    show = (text) => {
      const id = (count += 1);
      setMessages((before) => [...before, { id, text }]);
      setTimeout(() => setMessages((before) => before.filter((it) => it.id !== id)), SHOWN);
    };
    return () => void (show = () => {});
  }, []);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${messages.map(({ id, text }) => html`<p key=${id}>${text}
      <button type="button" class="quiet" onClick=${() => setMessages((before) => before.filter((it) => it.id !== id))}>Dismiss</button></p>`)}
  </div>`;
}
