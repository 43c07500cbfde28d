import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createLog } from '../../src/platform/log.ts';
import { openDatabase, type Trx } from '../../src/platform/postgres.ts';
import { EndAhead } from '../../src/tasks/run/end-ahead.ts';
import { createTestDatabase } from '../support/test-database.ts';

const made = await createTestDatabase();
const { db, pool, close } = openDatabase({
  url: made.url,
  poolSize: 4,
  log: createLog('error'),
  applicationName: 'end ahead',
});
after(async () => {
  await close();
});
await sql`create table told (word text primary key)`.execute(db);

const tell = (word: string) => async (trx: Trx) => void (await sql`insert into told values (${word})`.execute(trx));
const told = async (): Promise<string[]> =>
  (await pool.query('select word from told order by word')).rows.map(({ word }) => word);
/** Idle connections only: none is left in a transaction. */
const allAreBack = (): boolean => pool.idleCount === pool.totalCount;

test('what was written ahead is seen with the end and not before, in the order in which it came', async () => {
  const end = new EndAhead(db);
  end.write(tell('ahead'));
  end.write(async (trx) => void (await sql`update told set word = word || ' of it'`.execute(trx)));
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(await told(), []);
  const answer = await end.end(async (trx, isWritten) => {
    await tell('end')(trx);
    return isWritten;
  });
  assert.equal(answer, true);
  assert.deepEqual(await told(), ['ahead of it', 'end']);
  assert.ok(allAreBack());
});

test('without anything ahead, or when that failed, the end has a transaction of its own', async () => {
  const none = new EndAhead(db);
  assert.equal(await none.end(async (_trx, isWritten) => isWritten), false);
  const failing = new EndAhead(db);
  failing.write(tell('end'));
  failing.write(tell('after it'));
  assert.equal(
    await failing.end(async (trx, isWritten) => {
      await tell('after a fault')(trx);
      return isWritten;
    }),
    false,
  );
  assert.deepEqual(await told(), ['after a fault', 'ahead of it', 'end']);
  assert.ok(allAreBack());
});

test('a server that ends the waiting transaction costs nothing', async () => {
  const end = new EndAhead(db);
  let backend = 0;
  end.write(async (trx) => {
    await tell('lost')(trx);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    backend = rows[0]?.pid ?? 0;
  });
  while (backend === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await pool.query('select pg_terminate_backend($1)', [backend]);
  const answer = await end.end(async (trx, isWritten) => {
    await tell('again')(trx);
    return isWritten;
  });
  assert.equal(answer, false);
  assert.deepEqual(await told(), ['after a fault', 'again', 'ahead of it', 'end']);
});

test('an end that fails, and a task that does not complete, leave nothing', async () => {
  const failing = new EndAhead(db);
  failing.write(tell('gone'));
  const fault = new Error('no');
  await assert.rejects(
    failing.end(async () => {
      throw fault;
    }),
    fault,
  );
  const abandoned = new EndAhead(db);
  abandoned.write(tell('given up'));
  await abandoned.abandon();
  await new EndAhead(db).abandon();
  assert.deepEqual(await told(), ['after a fault', 'again', 'ahead of it', 'end']);
  assert.ok(allAreBack());
});
