/**
 * A process that starts the embedded database, so that tests can kill it: `[dataDir, outlives]`. Prints one JSON
 * line when the database is ready; a line on stdin makes it stop() and end. A server that a thread has started outlives
 * the process, as one does where the kernel offers no death signal.
 */
import { isMainThread, Worker } from 'node:worker_threads';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';

const [dataDir = '', outlives = 'false'] = process.argv.slice(2);
if (outlives === 'true' && isMainThread) {
  new Worker(new URL(import.meta.url), { argv: [dataDir, outlives] });
} else {
  const database = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const { url, pid, adopted } = database;
  process.stdout.write(`${JSON.stringify({ url, pid, adopted })}\n`);
  process.stdin.once('data', async () => {
    await database.stop();
    process.exit(0);
  });
}
