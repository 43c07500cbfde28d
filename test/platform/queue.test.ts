import { strict as assert } from 'node:assert';
import { after, test } from 'node:test';
import { createLog } from '../../src/platform/log.ts';
import { openDatabase } from '../../src/platform/postgres.ts';
import { openQueue } from '../../src/platform/queue.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { eventually } from '../support/workers.ts';

const testDatabase = await createTestDatabase();
const log = createLog('silent');
const database = openDatabase({ url: testDatabase.url, poolSize: 2, log, applicationName: 'test' });
after(async () => {
  await database.close();
});

test('a queue that cannot be opened lets go of its connections and timers, so that the process can end', async () => {
  // As on a full disk: the engine starts, and the first thing it writes is refused.
  await database.pool.query(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$;
    create trigger refuse before insert or update on pgboss.queue for each statement execute function refuse()`);
  const options = { pool: database.pool, databaseUrl: testDatabase.url, works: true, log };
  await assert.rejects(openQueue(options), { code: '53100' });
  const connections = async () =>
    (
      await database.pool.query(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'toledo queue'",
      )
    ).rows[0].n;
  await eventually(async () => (await connections()) === 0, 'the end of its connections');
  await database.pool.query('drop trigger refuse on pgboss.queue');
  const queue = await openQueue(options);
  await queue.stop();
});

test('a worker with a single slot for novels takes jobs, although an account may have three at once', async () => {
  const queue = await openQueue({ pool: database.pool, databaseUrl: testDatabase.url, works: true, log });
  try {
    const taken = Promise.withResolvers<string>();
    await queue.work({ short: 1, book: 1 }, async ({ taskId }) => taken.resolve(taskId));
    await database.db
      .transaction()
      .execute((trx) => queue.enqueue(trx, { taskId: 'task_one', accountId: 'acc_one', lane: 'book', ahead: 0 }));
    assert.equal(await taken.promise, 'task_one');
  } finally {
    await queue.stop();
  }
});
