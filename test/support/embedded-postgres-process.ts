/**
 * A process that starts the embedded database, so that tests can kill it: `[dataDir, dieWithParent]`. Prints one JSON
 * line when the database is ready; a line on stdin makes it stop() and end.
 */
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';

const [dataDir = '', dieWithParent = 'true'] = process.argv.slice(2);
const database = await startEmbeddedPostgres({ dataDir, dieWithParent: dieWithParent === 'true', log: () => {} });
const { url, pid, adopted } = database;
process.stdout.write(`${JSON.stringify({ url, pid, adopted })}\n`);
process.stdin.once('data', async () => {
  await database.stop();
  process.exit(0);
});
