// Amounts over time. A table contains the same amounts for readers who cannot see the chart.
import { useEffect, useRef } from 'preact/hooks';
import { html } from './html.js';
import { countText } from './values.js';

/** Colours that are distinguishable in light and dark mode. */
const COLOURS = ['#1a7f5a', '#8a5cd0', '#c25b00', '#2b78c5', '#b8437a'];

/** @typedef {{name: string, values: (string | number | undefined)[]}} Series */

/** @param {{label: string, dates: string[], series: Series[]}} props */
export function Chart({ label, dates, series }) {
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let isCurrent = true;
    let remove = () => {};
    // The library is loaded on demand, because it is as large as a quarter of the console and few pages have
    // a chart.
    void import('uplot').then(({ default: uPlot }) => {
      if (isCurrent) remove = draw(uPlot, element, dates, series);
    });
    return () => {
      isCurrent = false;
      remove();
    };
  }, [dates.join(), JSON.stringify(series)]);
  return html`<figure class="chart">
    <figcaption class="hint">${label}</figcaption>
    <div ref=${frame} role="img" aria-label=${label}></div>
  </figure>`;
}

/**
 * Draws the chart. Returns the function that removes it.
 *
 * @param {typeof import('uplot')} uPlot
 * @param {HTMLElement} element
 * @param {string[]} dates
 * @param {Series[]} series
 */
function draw(uPlot, element, dates, series) {
  const colour = getComputedStyle(element).color;
  const axis = { stroke: colour, grid: { stroke: `${colour.replace('rgb(', 'rgba(').replace(')', ', 0.15)')}` } };
  // Without these functions the library writes the digits of the locale.
  const labels = (/** @type {unknown} */ _, /** @type {(number | null)[]} */ values) => values.map((amount) => (amount === null ? '' : countText(amount)));
  const value = (/** @type {unknown} */ _, /** @type {number | null} */ amount) => (amount === null ? '–' : countText(amount));
  const chart = new uPlot(
    {
      width: element.clientWidth,
      height: 220,
      series: [{}, ...series.map(({ name }, index) => ({ label: name, value, stroke: COLOURS[index] ?? colour, width: 2 }))],
      axes: [axis, { ...axis, values: labels, size: 90 }],
    },
    // A chart needs only approximate heights, so a floating-point number is sufficient here.
    [dates.map((date) => Date.parse(date) / 1000), ...series.map(({ values }) => values.map((value) => (value === undefined ? null : Number(value))))],
    element,
  );
  const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: 220 }));
  resized.observe(element);
  return () => {
    resized.disconnect();
    chart.destroy();
  };
}
