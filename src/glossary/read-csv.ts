/** A glossary as CSV (RFC 4180), such as the `glossary` output of a task after somebody has edited it. */
import { badRequest } from '../errors.ts';

const known = ['source', 'target', 'type', 'gender', 'aliases', 'note', 'case_sensitive'];
/** An empty cell says that there is none; of the others, that nothing is said. */
const mayBeEmpty = ['aliases', 'note'];
/** Written by us, of no use to a reader. */
const ignored = ['occurrences', 'confidence', 'origin'];

/** Rows as objects of a glossary entry's fields. The first row names the columns. @throws BAD_REQUEST */
export function readGlossaryCsv(text: string): Record<string, unknown>[] {
  const [header = [], ...rows] = rowsOf(text.replace(/^\ufeff/, ''));
  const columns = header.map((name) => name.trim().toLowerCase());
  const unknown = columns.find((name) => ![...known, ...ignored].includes(name));
  if (unknown !== undefined || !columns.includes('source') || !columns.includes('target')) {
    const message = 'The first line of the CSV names its columns: source, target, and others that are allowed.';
    throw badRequest(message, { field: 'terms', reason: 'CSV_COLUMNS', allowed: known });
  }
  return rows
    .filter((row) => row.some((cell) => cell !== ''))
    .map((row) => {
      const cells = columns.flatMap((name, i) =>
        known.includes(name) && (row[i] || mayBeEmpty.includes(name)) ? [[name, cellValue(name, row[i] ?? '')]] : [],
      );
      return Object.fromEntries(cells) as Record<string, unknown>;
    });
}

function cellValue(name: string, cell: string): unknown {
  // The apostrophe that keeps a spreadsheet from running a formula.
  const value = cell.replace(/^'(?=[=+\-@\t\r＝＋－＠])/, '');
  if (name === 'aliases')
    return value
      .split(';')
      .map((alias) => alias.trim())
      .filter((alias) => alias !== '');
  if (name === 'case_sensitive') return value.toLowerCase() === 'true';
  return value;
}

function rowsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let end = 0;
  for (const match of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|\r|$)/gy)) {
    const [whole, cell = '', separator] = match;
    end = match.index + whole.length;
    if (whole === '' && row.length === 0) break;
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (separator === ',') continue;
    rows.push(row);
    row = [];
    if (separator === '') return rows;
  }
  // What does not fit the pattern begins with a quotation mark that has no other, or has text beside one.
  if (end < text.length)
    throw badRequest('The CSV has a quotation mark that is not closed, or text beside one.', {
      field: 'terms',
      reason: 'CSV_QUOTES',
    });
  return rows;
}
