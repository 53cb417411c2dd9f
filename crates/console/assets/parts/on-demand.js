// Pages that are loaded when they are first opened, which keeps the first page of the console small.
import { useLoad } from '../api/load.js';
import { Loaded } from './feedback.js';
import { html } from './html.js';

/**
 * Returns a component that loads another one before it shows it.
 *
 * @template Props
 * @param {() => Promise<(props: Props) => any>} load
 * @returns {(props: Props) => any}
 */
export function onDemand(load) {
  return (props) => {
    const page = useLoad(load, []);
    return html`<${Loaded} of=${page} what="the page">
      ${(/** @type {(props: Props) => any} */ Page) => html`<${Page} ...${props} />`}
    <//>`;
  };
}
