/** How commands answer: in words for people, with `--json` for machines. Standard output only. */
import { terminal } from './terminal.ts';

export function printJson(value: unknown): void {
  terminal().stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function printLine(text = ''): void {
  terminal().stdout.write(`${text}\n`);
}

/** The answer of a command. @param words the same for people */
export function printAnswer({ json }: { json: boolean }, value: unknown, words: string): void {
  if (json) printJson(value);
  else printLine(words);
}

/** A list, some fields of it for people, or a sentence in place of an empty table. */
export function printList<T extends object>(
  args: { json: boolean },
  rows: readonly T[],
  fieldOf: Record<string, keyof T & string>,
  empty: string,
): void {
  printAnswer(args, rows, rows.length === 0 ? empty : columns(rows, fieldOf));
}

/** Names and what they are, a line each; without those that are not there. */
export function fields(named: Record<string, string | number | null | undefined>): string {
  const known = Object.entries(named).filter(([, value]) => value !== undefined && value !== null);
  return known.map(([name, value]) => `${name.padEnd(13)}${value?.toLocaleString('en')}`).join('\n');
}

/** Some fields of rows under headings. */
export function columns<T extends object>(rows: readonly T[], fieldOf: Record<string, keyof T & string>): string {
  const cell = (value: unknown) => {
    if (typeof value === 'number') return value;
    if (value instanceof Date) return value.toISOString();
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  };
  return table(
    Object.keys(fieldOf),
    rows.map((row) => Object.values(fieldOf).map((name) => cell(row[name]))),
  );
}

/** Left-aligned columns under their headings; numbers right-aligned. */
export function table(headings: string[], rows: (string | number)[][]): string {
  const cells = rows.map((row) => row.map((cell) => cell.toLocaleString('en')));
  const isNumeric = headings.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]) =>
    row
      .map((cell, column) =>
        isNumeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [headings, ...cells].map(line).join('\n');
}
