import { strict as assert } from 'node:assert';
import { after, test } from 'node:test';
import { admit } from '../../src/accounts/admit.ts';
import { createLog } from '../../src/platform/log.ts';
import { checkSession, openDatabase } from '../../src/platform/postgres.ts';
import { createTestDatabase } from '../support/test-database.ts';

const testDatabase = await createTestDatabase();
const log = createLog('silent');
const open = (pooled: boolean) =>
  openDatabase({ url: testDatabase.url, poolSize: 1, log, applicationName: 'test', pooled });
const [pooled, direct] = [open(true), open(false)];
after(async () => {
  await Promise.all([pooled.close(), direct.close()]);
});

test('behind a pooler nothing is asked of a session: no limits at its start, and never a named statement', async () => {
  for (const [{ pool, db }, limit] of [
    [pooled, '0'],
    [direct, '10s'],
  ] as const) {
    for (let times = 0; times < 6; times++) assert.equal(await admit(db, Buffer.alloc(32)), undefined);
    const { rows } = await pool.query(
      `select current_setting('statement_timeout') as "limit", (select count(*)::int from pg_prepared_statements where name <> '') as statements`,
    );
    assert.deepEqual(rows, [{ limit, statements: 0 }]);
  }
});

test('a session that ignores what was asked of it is a pooler nobody told of, and refused', async () => {
  await checkSession(direct, log);
  await checkSession(pooled, log);
  await assert.rejects(checkSession({ ...pooled, pooled: false }, log), /set TOLEDO_DATABASE_DIRECT_URL/);
});
