import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { onBehalfOf } from '../../src/platform/fair-pool.ts';
import { createLog } from '../../src/platform/log.ts';
import { openDatabase } from '../../src/platform/postgres.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { url } = await createTestDatabase();
const database = openDatabase({ url, poolSize: 10, log: createLog('silent'), applicationName: 'test' });
after(async () => {
  await database.close();
});

test('an account that takes all it can get leaves most of the connections to others', async () => {
  const { pool } = database;
  const held = await Promise.all([1, 2].map(() => onBehalfOf('greedy', () => pool.connect())));
  let isThrough = false;
  const third = onBehalfOf('greedy', () => pool.query('select 1')).then(() => {
    isThrough = true;
  });
  const other = await onBehalfOf('other', () => pool.query('select 2 as two'));
  const nobody = await pool.query('select 3 as three');
  assert.deepEqual([other.rows[0].two, nobody.rows[0].three, isThrough], [2, 3, false]);
  for (const client of held) client.release();
  await third;
  const again = await Promise.all([1, 2].map(() => onBehalfOf('greedy', () => pool.connect())));
  for (const client of again) client.release();
});
