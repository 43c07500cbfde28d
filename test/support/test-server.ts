/** One database server for a run of tests, with the migrated template that test databases are cloned from. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { createLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { openDatabase } from '../../src/platform/postgres.ts';
import { openQueue } from '../../src/platform/queue.ts';
import { startInstalledPostgres } from './installed-postgres.ts';
import { administer, databaseUrl, serverUrlVariable, templateName } from './test-database.ts';

/** The server goes with its folder at the end, so it need not survive a crash of the machine. */
const throwAwaySettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '8GB',
  // It would visit each of some hundred small databases once a minute.
  autovacuum: 'off',
  // Its tables are small, and compiling a statement takes longer than running it.
  jit: 'off',
};

/**
 * Gives the environment for test processes to `use`.
 * @param binDir PostgreSQL's programs, instead of the embedded ones
 */
export async function withTestServer<T>(
  binDir: string | undefined,
  use: (env: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-test-'));
  const server = binDir
    ? await startInstalledPostgres(binDir, folder)
    : await startEmbeddedPostgres({ dataDir: folder, maxConnections: 300, log: () => {} });
  try {
    for (const [name, value] of Object.entries(throwAwaySettings))
      await administer(server.url, `alter system set ${name} = '${value}'`);
    await administer(server.url, 'select pg_reload_conf()');
    await prepareTemplate(server.url);
    return await use({
      ...process.env,
      [serverUrlVariable]: server.url,
      NODE_COMPILE_CACHE: join(tmpdir(), 'toledo-test-cache'),
    });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs `node` with the arguments against a fresh server and returns its exit code. */
export async function runOnTestServer(nodeArguments: readonly string[]): Promise<number> {
  const flags = ['--disable-warning=ExperimentalWarning', '--test-reporter=spec'];
  return await withTestServer(undefined, (env) => {
    const child = spawn(process.execPath, [...flags, ...nodeArguments], { stdio: 'inherit', env });
    return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
  });
}

async function prepareTemplate(serverUrl: string): Promise<void> {
  await administer(serverUrl, `create database ${templateName}`);
  const url = databaseUrl(serverUrl, templateName);
  const log = createLog('warn');
  const database = openDatabase({ url, poolSize: 1, log, applicationName: 'tests' });
  await migrate(database.db);
  // The job engine's schema too: creating it costs more than everything else a test application does when it starts.
  const queue = await openQueue({ pool: database.pool, databaseUrl: url, works: false, log });
  await queue.stop();
  await database.close();
}
