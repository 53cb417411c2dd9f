// The completion document as CSV (RFC 4180), with one row for each tax and each deduction of a check. A file
// is converted into the JSON document of the completion. The page maps each fault in the document back to its
// line and column. Values remain texts.

/** @typedef {import('../client/client.js').Schemas['RegisterCheck']} RegisterCheck */
/** @typedef {{line?: number, column?: string, code?: string, description: string}} CsvFault */
/** @typedef {Record<string, string>} Entry */
/** @typedef {{paycheckId: string, checkNumber?: string, checkType?: string, taxes?: Entry[], deductions?: Entry[]}} Check */
/**
 * @typedef {{checks: Check[], faults: CsvFault[], places: Map<string, number>, unused: number}} CsvDocument `places` contains the
 *   line for each pointer into the document, and `unused` is the number of rows with only a check.
 */

const TEMPLATE = ['paycheckId', 'worker', 'gross', 'checkNumber', 'kind', 'name', 'componentId', 'amount', 'paidBy'];
const COLUMNS = [...TEMPLATE, 'checkType'];
const OF_CHECK = /** @type {const} */ (['checkNumber', 'checkType']);
/** Columns that name the pay run of a row, in a file for several pay runs. */
const OF_RUN = ['companyId', 'payPeriodId'];
const OF_ENTRY = ['name', 'componentId', 'amount', 'paidBy'];

/** @type {Map<string | undefined, {list: 'taxes' | 'deductions', members: string[]}>} */
const KINDS = new Map([
  ['tax', { list: 'taxes', members: ['name', 'amount', 'paidBy'] }],
  ['deduction', { list: 'deductions', members: ['componentId', 'amount'] }],
]);

/** Matches a field with or without quotes, and the separator after the field. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n?|\n|$)/y;

/**
 * @param {string} text
 * @returns {{rows: {line: number, cells: string[]}[], fault?: CsvFault}}
 */
function parse(text) {
  const field = new RegExp(FIELD);
  const rows = [];
  /** @type {string[]} */
  let cells = [];
  let [line, first] = [1, 1];
  for (;;) {
    const match = field.exec(text);
    if (!match) {
      const description = 'A quote is not closed, or is inside a field that is not in quotes.';
      return { rows, fault: { line, description } };
    }
    const [matched, quoted, plain = '', end] = match;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    line += matched.split(/\r\n?|\n/).length - 1;
    if (end === ',') continue;
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: first, cells });
    [cells, first] = [[], line];
    if (field.lastIndex >= text.length) return { rows };
  }
}

/**
 * @param {{line: number, cells: string[]} | undefined} header
 * @param {string[]} ofRun the columns that name the pay run
 * @returns {CsvFault[]}
 */
function faultsOfHeader(header, ofRun) {
  if (!header) return [{ line: 1, description: 'The file has no rows.' }];
  const { line, cells } = header;
  if (cells.length === 1 && /[;\t]/.test(cells[0] ?? '')) {
    return [{ line, description: 'Separate the fields with commas, not with semicolons or tabs.' }];
  }
  const known = [...ofRun, ...COLUMNS];
  const faults = cells.flatMap((column, at) => {
    if (!known.includes(column)) return [{ line, column, description: `Unknown column. Known columns: ${known.join(', ')}.` }];
    return cells.indexOf(column) < at ? [{ line, column, description: 'The header has this column twice.' }] : [];
  });
  const missing = [...ofRun, 'paycheckId', 'kind', 'amount'].filter((column) => !cells.includes(column));
  return [...faults, ...missing.map((column) => ({ line, column, description: 'The header lacks this column.' }))];
}

/**
 * Returns the rows after the header as maps from columns to values.
 *
 * @param {string} text
 * @param {string[]} ofRun the columns that name the pay run
 */
function rowsOf(text, ofRun) {
  const { rows, fault } = parse(text);
  const [header, ...rest] = rows;
  const faults = fault ? [fault] : faultsOfHeader(header, ofRun);
  /** @type {{line: number, row: Map<string, string>}[]} */
  const read = [];
  if (faults.length > 0 || !header) return { faults, read };
  for (const { line, cells } of rest) {
    if (cells.length === header.cells.length) {
      read.push({ line, row: new Map(header.cells.map((column, at) => [column, cells[at] ?? ''])) });
    } else {
      const description = `The row has ${cells.length} fields, and the header has ${header.cells.length}.`;
      faults.push({ line, description });
    }
  }
  return { faults, read };
}

/** @returns {CsvDocument} */
function empty() {
  return { checks: [], faults: [], places: new Map(), unused: 0 };
}

/** Reads the document of one pay run. @param {string} text @returns {CsvDocument} */
export function readCsv(text) {
  const { faults, read } = rowsOf(text, []);
  const document = { ...empty(), faults };
  const indexes = new Map();
  for (const { line, row } of read) addRow(document, indexes, line, row);
  return document;
}

/** The key of a pay run. @param {{companyId: string, payPeriodId: string}} run */
export function runKey({ companyId, payPeriodId }) {
  return `${companyId}/${payPeriodId}`;
}

/**
 * Reads a file for several pay runs. Its rows name the company and the pay period.
 *
 * @param {string} text
 * @param {Set<string>} runs the keys of the pay runs
 */
export function readRuns(text, runs) {
  const { faults, read } = rowsOf(text, OF_RUN);
  /** @type {Map<string, {document: CsvDocument, indexes: Map<string, number>}>} */
  const found = new Map();
  for (const { line, row } of read) {
    const key = runKey({ companyId: row.get('companyId') ?? '', payPeriodId: row.get('payPeriodId') ?? '' });
    if (!runs.has(key)) {
      faults.push({ line, column: 'payPeriodId', description: 'This pay run is not among the selected ones.' });
      continue;
    }
    const { document, indexes } = found.get(key) ?? { document: empty(), indexes: new Map() };
    found.set(key, { document, indexes });
    addRow(document, indexes, line, row);
  }
  const documents = new Map([...found].map(([key, { document }]) => [key, document]));
  for (const document of documents.values()) faults.push(...document.faults);
  return { faults, documents };
}

/**
 * @param {CsvDocument} read
 * @param {Map<string, number>} indexes the index of each check in the document
 * @param {number} line
 * @param {Map<string, string>} row
 */
function addRow(read, indexes, line, row) {
  const fault = (/** @type {string} */ column, /** @type {string} */ description) => {
    read.faults.push({ line, column, description });
  };
  const given = (/** @type {string} */ column) => row.get(column) || undefined;
  if (![...OF_CHECK, 'kind', ...OF_ENTRY].some(given)) {
    read.unused += 1;
    return;
  }
  const paycheckId = given('paycheckId');
  if (paycheckId === undefined) return fault('paycheckId', 'The id of the check is missing.');
  const index = indexes.get(paycheckId) ?? read.checks.push({ paycheckId }) - 1;
  const check = /** @type {Check} */ (read.checks[index]);
  const pointer = `/checks/${index}`;
  if (!indexes.has(paycheckId)) read.places.set(pointer, line);
  indexes.set(paycheckId, index);
  for (const column of OF_CHECK) {
    const value = given(column);
    if (value === undefined) continue;
    const before = read.places.get(`${pointer}/${column}`);
    if (before !== undefined && check[column] !== value) {
      fault(column, `Line ${before} has a different ${column} for this check: ${check[column]}. All lines of a check must have the same one.`);
    } else if (before === undefined) {
      check[column] = value;
      read.places.set(`${pointer}/${column}`, line);
    }
  }
  const kind = KINDS.get(given('kind'));
  if (kind === undefined) {
    if (given('kind')) fault('kind', `The kind is ${given('kind')}. Write tax or deduction.`);
    else if (OF_ENTRY.some(given)) fault('kind', 'The kind is missing. Write tax or deduction.');
    return;
  }
  for (const column of OF_ENTRY) {
    if (given(column) && !kind.members.includes(column)) fault(column, `A ${given('kind')} has no ${column}. Leave the field empty.`);
  }
  const members = kind.members.flatMap((member) => (given(member) ? [[member, given(member)]] : []));
  const list = (check[kind.list] ??= []);
  read.places.set(`${pointer}/${kind.list}/${list.length}`, line);
  list.push(Object.fromEntries(members));
}

/**
 * Returns the line and the column for a pointer into the document.
 *
 * @param {Map<string, number>} places
 * @param {string} pointer
 */
export function placeInCsv(places, pointer) {
  const last = pointer.slice(pointer.lastIndexOf('/') + 1);
  let at = pointer;
  while (at !== '' && !places.has(at)) at = at.slice(0, at.lastIndexOf('/'));
  return { line: places.get(at), column: COLUMNS.includes(last) ? last : undefined };
}

/** Formats a text as a quoted field of a CSV file. @param {string} text */
function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the template's row for a check. The row contains no text that a spreadsheet executes. @param {RegisterCheck} check @param {string} name */
function templateRow(check, name) {
  // A spreadsheet shows a text after an apostrophe, and does not execute it as a formula.
  return [check.paycheckId, name.replace(/^(?=[=+\-@\t\r\n])/, "'"), check.grossEarnings, '', '', '', '', '', ''];
}

/** @param {string[][]} rows */
function csv(rows) {
  return rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

/**
 * Returns a template with a row for each check.
 *
 * @param {RegisterCheck[]} checks
 * @param {(check: RegisterCheck) => string} name
 */
export function templateCsv(checks, name) {
  const rows = checks.filter((check) => !check.reversalOf).map((check) => templateRow(check, name(check)));
  return csv([TEMPLATE, ...rows]);
}

/**
 * Returns a template with a row for each check of several pay runs.
 *
 * @param {{run: {companyId: string, payPeriodId: string}, checks: RegisterCheck[]}[]} registers
 * @param {(check: RegisterCheck) => string} name
 */
export function templateOfRuns(registers, name) {
  const rows = registers.flatMap(({ run, checks }) => checks.filter((check) => !check.reversalOf)
    .map((check) => [run.companyId, run.payPeriodId, ...templateRow(check, name(check))]));
  return csv([[...OF_RUN, ...TEMPLATE], ...rows]);
}
