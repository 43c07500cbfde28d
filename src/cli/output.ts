/** How commands answer: tables for people, `--json` for machines. Standard output only. */
import { terminal } from './terminal.ts';

export function printJson(value: unknown): void {
  terminal().stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function printLine(text = ''): void {
  terminal().stdout.write(`${text}\n`);
}

/** A list for machines, or some of its fields under headings for people, with a sentence in place of an empty table. */
export function printList(
  { json }: { json: boolean },
  rows: readonly Record<string, unknown>[],
  columns: Record<string, string>,
  empty: string,
): void {
  if (json) printJson(rows);
  else if (rows.length === 0) printLine(empty);
  else printColumns(rows, columns);
}

/** Fields of rows under headings. */
export function printColumns(rows: readonly Record<string, unknown>[], columns: Record<string, string>): void {
  const cell = (value: unknown) => {
    if (typeof value === 'number') return value;
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  };
  printTable(
    Object.keys(columns),
    rows.map((row) => Object.values(columns).map((name) => cell(row[name]))),
  );
}

/** Left-aligned columns under their headings; numbers right-aligned. */
export function printTable(headings: string[], rows: (string | number)[][]): void {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[], numeric: boolean[]) =>
    row
      .map((cell, column) => (numeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  const numeric = headings.map(
    (_heading, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
  printLine(line(headings, numeric));
  for (const row of cells) printLine(line(row, numeric));
}
