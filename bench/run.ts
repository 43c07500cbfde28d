/**
 * `npm run bench [-- quick]`: every measurement one after the other, a table at the end, and the rows as JSON in
 * `bench/results.json` (not kept in the repository); a full run adds them to `bench/history.jsonl`, which is. About 18 minutes;
 * `quick` takes smaller books and fewer rounds, about 8 minutes, and its figures read worse. Nothing else should run on the
 * machine meanwhile.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMet, type Row, recordHistory } from './rows.ts';

const isQuick = process.argv[2] === 'quick';
const measurements: [script: string, ...args: string[]][] = isQuick
  ? [
      ['tasks.ts', '3', '100000'],
      ['sentence.ts', '60'],
      ['documents.ts'],
      ['documents-text.ts'],
      ['pipeline.ts', '100000', '1000000'],
      ['scaling.ts', '8'],
      ['series.ts', '100000', 'chapters', 'size', 'look-up'],
      ['novel.ts', '--characters', '200000', 'tenth', 'tenth-default', 'tenth-faults'],
    ]
  : [
      ['tasks.ts', '10'],
      ['sentence.ts'],
      ['documents.ts'],
      ['documents-text.ts'],
      ['pipeline.ts'],
      ['scaling.ts'],
      ['series.ts'],
      ['novel.ts'],
    ];

const folder = mkdtempSync(join(tmpdir(), 'toledo-bench-'));
const rowsFile = join(folder, 'rows');
writeFileSync(rowsFile, '');
const failed: string[] = [];
for (const [script, ...args] of measurements) {
  process.stdout.write(`\n== ${script} ${args.join(' ')} (load ${loadavg()[0]?.toFixed(1)})\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: 'inherit',
    env: { ...process.env, TOLEDO_BENCH_ROWS: rowsFile },
  });
  if (status !== 0) failed.push(script);
}
const rows = readFileSync(rowsFile, 'utf8')
  .trim()
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Row);
rmSync(folder, { recursive: true });
if (!isQuick) recordHistory(rows);

const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  node: process.version,
  date: new Date().toISOString(),
};
const results = { machine, quick: isQuick, rows: rows.map((row) => ({ ...row, met: isMet(row) })), failed };
writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);

process.stdout.write(
  `\n${machine.cores} × ${machine.cpu}, Node ${machine.node}, ${machine.date}${isQuick ? ', quick' : ''}\n\n`,
);
process.stdout.write('| Figure | Value | Goal | Met | Limit and how it is known |\n|---|---|---|---|---|\n');
for (const row of rows) {
  const goal = row.goal === undefined ? '' : 'atLeast' in row.goal ? `≥ ${row.goal.atLeast}` : `≤ ${row.goal.atMost}`;
  const met = isMet(row);
  const value = `${Number(row.value.toPrecision(4))} ${row.unit}`.trim();
  process.stdout.write(
    `| ${row.name} | ${value} | ${goal} | ${met === undefined ? '' : met ? 'yes' : '**no**'} | ${row.limit} |\n`,
  );
}
for (const script of failed)
  process.stdout.write(`\n${script} ended with a fault; its rows are missing or incomplete.\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
