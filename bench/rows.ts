/**
 * One measured figure with its limit. `npm run bench` collects the rows of every measurement into one table and one JSON
 * file; a measurement run by itself just prints what it always does.
 */
import { appendFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';

export interface Row {
  name: string;
  value: number;
  unit: string;
  /** What it is compared with, and how that is known. */
  limit: string;
  /** Undefined for a figure that is reported without a goal. */
  goal?: { atLeast: number } | { atMost: number };
}

/** Where `npm run bench` wants the rows, one JSON object a line. */
const file = process.env.TOLEDO_BENCH_ROWS;

export function addRow(row: Row): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** Kept in the repository: one line per figure, with the date and how busy the machine was. */
export function recordHistory(rows: readonly Row[]): void {
  const machine = {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    node: process.version,
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
  const lines = rows.map((row) => `${JSON.stringify({ ...machine, ...row, met: isMet(row) })}\n`);
  appendFileSync(join(import.meta.dirname, 'history.jsonl'), lines.join(''));
}

export function isMet({ value, goal }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
}
