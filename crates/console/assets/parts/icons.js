// Icons, drawn as lines on a 24 × 24 grid. They appear next to text, so screen readers skip them.
import { html } from './html.js';

/** The path of each icon. */
const PATHS = /** @type {const} */ ({
  home: 'M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z',
  runs: 'M3 6h18v12H3zM3 10h18M7 15h4',
  approvals: 'M9 12l2 2 4-5M12 3l8 3v6c0 5-3.5 8-8 9-4.500-1-8-4-8-9V6z',
  companies: 'M4 21V5l8-2v18M12 9h8v12M2 21h20M7 8h2M7 12h2M7 16h2M15 13h2M15 17h2',
  applications: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  access: 'M15 7a4 4 0 1 1-3.500 6L9 15.500V18H6.500v2.500H3V17l6.600-6.500A4 4 0 0 1 15 7zM16.500 9.500h.01',
  webhooks: 'M12 8a3 3 0 1 0-2.500-4.700M9 6l-3 7M6 13a3 3 0 1 0 2.800 4H16M18 14a3 3 0 1 1-2.300 5M17 14l-3-6',
  trail: 'M12 7v5l3 2M3.500 9a9 9 0 1 1-.5 4M3 4v5h5',
  transfer: 'M7 4v12M3 12l4 4 4-4M17 20V8M13 12l4-4 4 4',
  health: 'M3 12h4l2-6 4 12 2-6h6',
  keys: 'M8 11V8a4 4 0 0 1 8 0v3M5 11h14v9H5z',
  sandbox: 'M9 3h6M10 3v6l-5 9a2 2 0 0 0 2 3h10a2 2 0 0 0 2-3l-5-9V3M7.500 15h9',
  find: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l5 5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M4 12l5 5L20 6',
  plus: 'M12 5v14M5 12h14',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  leave: 'M14 4h5v16h-5M3 12h11M10 8l4 4-4 4',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
});

/** @typedef {keyof typeof PATHS} IconName */

/** @param {{name: IconName}} props */
export function Icon({ name }) {
  return html`<svg class="drawn" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;
}
