/**
 * Runs the tests: `node test/support/run-tests.ts [--postgres BIN_DIR] [--concurrency N] [--title PATTERN] [FILE ...]`.
 * Without files it runs every `test/**\/*.test.ts` and the short size of every proof in `test/proofs`. `test/external`
 * needs programs that not every machine has: see `npm run prove`.
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runOnTestServer } from './test-server.ts';

// One more than there are processors: the proofs wait for leases, restarts and slow engines most of the time.
const filesAtOnce = String(Math.min(4, availableParallelism() + 1));

const { values, positionals } = parseArgs({
  options: {
    postgres: { type: 'string' },
    concurrency: { type: 'string', default: filesAtOnce },
    title: { type: 'string' },
  },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals : globSync(['test/**/*.test.ts', 'test/proofs/*.ts']);
const limit = new URL('./file-limit.ts', import.meta.url).href;
const title = values.title === undefined ? [] : [`--test-name-pattern=${values.title}`];
process.exitCode = await runOnTestServer(
  [...title, '--import', limit, '--test', `--test-concurrency=${values.concurrency}`, ...files.sort()],
  values.postgres,
);
