import type { Term } from '../term.ts';

const columns = 'source target type gender aliases occurrences confidence origin note'.split(' ');

/** The glossary file partners download: RFC 4180, UTF-8, and nothing a spreadsheet would run as a formula. */
export function glossaryCsv(terms: readonly Term[]): string {
  const rows = terms.map((term) => {
    const cells: Record<string, unknown> = { ...term, aliases: term.aliases.join('; ') };
    return columns.map((name) => cell(String(cells[name] ?? ''))).join(',');
  });
  return `${[columns.join(','), ...rows].join('\r\n')}\r\n`;
}

function cell(value: string): string {
  // An apostrophe makes spreadsheets read a leading = + - @ or tab as text.
  const safe = /^[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
