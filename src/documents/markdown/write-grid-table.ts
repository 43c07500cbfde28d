/** A grid table drawn anew around its translated cells. */
import type { GridTable } from './pandoc-markup.ts';

export function drawGridTable(table: GridTable, newline: string): string {
  const columns = table.borders.length - 1;
  const texts = table.rows.map((row) => row.map(wrap));
  const widths = Array.from({ length: columns }, (_, c) =>
    Math.max(3, ...texts.map((row) => Math.max(0, ...(row[c] ?? []).map((line) => [...line].length)))),
  );
  const rule = (sign: string) => `${table.indent}+${widths.map((width) => sign.repeat(width + 2)).join('+')}+`;
  const lines = [rule(table.rules[0] ?? '-')];
  texts.forEach((row, r) => {
    const height = Math.max(1, ...row.map((cell) => cell.length));
    for (let i = 0; i < height; i++) {
      const cells = widths.map((width, c) => ` ${pad(row[c]?.[i] ?? '', width)} `);
      lines.push(`${table.indent}|${cells.join('|')}|`);
    }
    lines.push(rule(table.rules[r + 1] ?? '-'));
  });
  return lines.join(newline);
}

/** Long cells go on in the next line, as their writers had it. */
const cellColumns = 40;

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > cellColumns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}
