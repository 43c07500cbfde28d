/**
 * Runs the tests: `node test/support/run-tests.ts [--postgres BIN_DIR] [--concurrency N] [--title PATTERN] [FILE ... [NUMBER ...]]`. Without
 * files, every `test/**\/*.test.ts` except the slow proofs, which have npm scripts of their own. Numbers are for one
 * file: a proof takes its count and its seed that way. Starts one database server for all files (embedded, or the
 * binaries in BIN_DIR), migrates the template they clone, and takes everything away again.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { createLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { openDatabase } from '../../src/platform/postgres.ts';
import { openQueue } from '../../src/platform/queue.ts';
import { startInstalledPostgres } from './installed-postgres.ts';
import { administer, databaseUrl, serverUrlVariable, templateName } from './test-database.ts';

const { values, positionals } = parseArgs({
  options: { postgres: { type: 'string' }, concurrency: { type: 'string', default: '2' }, title: { type: 'string' } },
  allowPositionals: true,
});
const slowFolders = ['test/faults/', 'test/external/'];
const named = positionals.filter((argument) => !/^\d+$/.test(argument));
const numbers = positionals.filter((argument) => !named.includes(argument));
const files =
  named.length > 0
    ? named
    : globSync('test/**/*.test.ts').filter((file) => !slowFolders.some((folder) => file.startsWith(folder)));

const folder = await mkdtemp(join(tmpdir(), 'toledo-test-'));
const server = values.postgres
  ? await startInstalledPostgres(values.postgres, folder)
  : await startEmbeddedPostgres({ dataDir: folder, maxConnections: 300, log: () => {} });
try {
  await prepareTemplate(server.url);
  process.exitCode = await runNodeTests(server.url);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function prepareTemplate(serverUrl: string): Promise<void> {
  await administer(serverUrl, `create database ${templateName}`);
  const database = openDatabase({
    url: databaseUrl(serverUrl, templateName),
    poolSize: 1,
    log: createLog('warn'),
    applicationName: 'tests',
  });
  await migrate(database.db, new URL('../../migrations/', import.meta.url));
  // The job engine's own schema too: making it costs more than everything else a test application does at its start.
  const queue = await openQueue({
    pool: database.pool,
    databaseUrl: databaseUrl(serverUrl, templateName),
    works: false,
    log: createLog('warn'),
  });
  await queue.stop();
  await database.close();
}

function runNodeTests(serverUrl: string): Promise<number> {
  const flags = ['--disable-warning=ExperimentalWarning', '--test-reporter=spec'];
  if (values.title !== undefined) flags.push(`--test-name-pattern=${values.title}`);
  // Under --test a file gets no arguments.
  if (numbers.length === 0) flags.push('--test', `--test-concurrency=${values.concurrency}`);
  const child = spawn(process.execPath, [...flags, ...files.sort(), ...numbers], {
    stdio: 'inherit',
    env: { ...process.env, [serverUrlVariable]: serverUrl, NODE_COMPILE_CACHE: join(tmpdir(), 'toledo-test-cache') },
  });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
