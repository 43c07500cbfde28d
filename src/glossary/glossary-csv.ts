import { badRequest } from '../errors.ts';
import type { Term } from '../term.ts';

const writtenColumns = 'source target type gender aliases occurrences confidence origin note'.split(' ');

/** The glossary file partners download: RFC 4180, UTF-8, and nothing a spreadsheet would run as a formula. */
export function glossaryCsv(terms: readonly Term[]): string {
  const rows = terms.map((term) => {
    const cells: Record<string, unknown> = { ...term, aliases: term.aliases.join('; ') };
    return writtenColumns.map((name) => cell(String(cells[name] ?? ''))).join(',');
  });
  return `${[writtenColumns.join(','), ...rows].join('\r\n')}\r\n`;
}

function cell(value: string): string {
  // An apostrophe makes spreadsheets read a leading = + - @ or tab as text.
  const safe = /^[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const known = ['source', 'target', 'type', 'gender', 'aliases', 'note', 'case_sensitive'];
/** An empty cell says that there is none; of the others, that nothing is said. */
const mayBeEmpty = ['aliases', 'note'];
/** Written by us, of no use to a reader. */
const ignored = ['occurrences', 'confidence', 'origin'];

/**
 * A CSV such as ours after somebody has edited it: rows as objects of a glossary entry's fields. The first row names
 * the columns. @throws BAD_REQUEST
 */
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
