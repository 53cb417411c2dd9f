// Pay statements as HTML files in a ZIP archive. The browser creates them, so no statement is stored.
import { render } from 'preact';
import { downloadZip } from 'client-zip';
import { base } from '../client/client.js';
import { workerName } from '../client/register.js';

/** @typedef {import('../client/client.js').Schemas['RegisterCheck']} Check */

/** Matches characters that `_` replaces in file names, because file systems reject some of them. */
const NOT_IN_FILES = /[^\p{L}\p{N} .-]/gu;
/** Maximum length of a worker's name in a file name. */
const NAMED = 80;

/** Escapes a text for HTML. @param {string} text */
function escaped(text) {
  const element = document.createElement('p');
  element.textContent = text;
  return element.innerHTML;
}

/** Returns the name of a statement's file. The id makes it unique. @param {Check} check */
function fileName(check) {
  return `${workerName(check).replace(NOT_IN_FILES, '_').slice(0, NAMED)} ${check.paycheckId}.html`;
}

/**
 * Returns an HTML page that does not refer to other files.
 *
 * @param {string} title
 * @param {any} page
 * @param {string} styles
 */
function standalone(title, page, styles) {
  const container = document.createElement('div');
  render(page, container);
  const content = container.innerHTML;
  render(null, container);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${styles}</style>
</head>
<body><main>${content}</main></body>
</html>
`;
}

/**
 * Returns a ZIP archive with one HTML file for each statement.
 *
 * @param {{check: Check, page: any}[]} statements
 */
export async function statementsZip(statements) {
  const answer = await fetch(`${base}/console/styles/main.css`);
  if (!answer.ok) throw new Error('The style sheet of the statements was not loaded.');
  const styles = await answer.text();
  const lastModified = new Date();
  const files = statements.map(({ check, page }) => ({
    name: fileName(check),
    lastModified,
    input: standalone(`Pay statement of ${workerName(check)}`, page, styles),
  }));
  return downloadZip(files).blob();
}
