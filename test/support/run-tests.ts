/**
 * Runs the whole test suite: `node test/support/run-tests.ts [path ...]`. Without arguments every
 * `test/**\/*.test.ts` except the slow proofs, which have npm scripts of their own.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';

const slowFolders = ['test/faults/', 'test/external/'];
const asked = process.argv.slice(2);
const files =
  asked.length > 0
    ? asked
    : globSync('test/**/*.test.ts').filter((file) => !slowFolders.some((folder) => file.startsWith(folder)));

const child = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=2', '--test-reporter=spec', ...files.sort()],
  { stdio: 'inherit' },
);
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
