/**
 * Runs the tests: `node test/support/run-tests.ts [--postgres BIN_DIR] [--concurrency N] [--title PATTERN] [FILE ...]`.
 * Without files it runs every `test/**\/*.test.ts`. The proofs in `test/proofs` are run by `npm run prove`.
 */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runFiles } from './runner/run-files.ts';
import { RunReport } from './runner/run-report.ts';
import { withTestServer } from './test-server.ts';

// More than there are processors: tests wait for answers, leases and restarts some of the time.
const processesAtOnce = String(Math.min(4, availableParallelism() + 2));

/** A file that says so on its first line changes its process, or measures it. */
const aloneMark = /^\/\/ Runs alone: /;

/** Calls for an application that few files need, and share. */
const sharedApplications = ['sharedSimulatedEngine(', "startTestApp({ role: 'api' })"];

const { values, positionals } = parseArgs({
  options: {
    postgres: { type: 'string' },
    concurrency: { type: 'string', default: processesAtOnce },
    title: { type: 'string' },
  },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals : allTests();
const report = new RunReport(files.length, positionals.length > 0);
await withTestServer(values.postgres, (env) =>
  runFiles(grouped(files), {
    processes: Math.min(files.length, Number(values.concurrency)),
    env,
    title: values.title,
    // A process that chooses among titles ends before the tests of a second file.
    isAlone: (file) => values.title !== undefined || aloneMark.test(readFileSync(file, 'utf8')),
    onStart: (file) => report.start(file),
    onEnd: (result) => report.end(result),
  }),
);
report.finish();
process.exitCode = report.hasFailed ? 1 : 0;

/**
 * Files that share a browser or a special application are run by one process, one after another: each more of these costs a start, and asks
 * the database for work all the time. Not where titles are chosen.
 */
function grouped(all: readonly string[]): string[][] {
  const groups = Map.groupBy(all, (file) => (values.title === undefined ? sharedPartOf(file) : file));
  return [...groups.values()];
}

function sharedPartOf(file: string): string {
  if (file.includes('test/browser/')) return 'browser';
  const source = readFileSync(file, 'utf8');
  return sharedApplications.find((call) => source.includes(call)) ?? file;
}

/** The folders with the longest files first, so that no process is left with one of them at the end. */
function allTests(): string[] {
  const slowFolders = ['e2e', 'browser', 'cli', 'client', 'contract', 'credits', 'events', 'tasks', 'http'];
  const found = globSync('test/**/*.test.ts').sort();
  const rank = (file: string) => (slowFolders.indexOf(file.split('/')[1] ?? '') + 100) % 100;
  return found.toSorted((a, b) => rank(a) - rank(b));
}
