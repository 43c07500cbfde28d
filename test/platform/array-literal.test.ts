import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { plainArray, textArray } from '../../src/platform/array-literal.ts';
import { createTestDatabase } from '../support/test-database.ts';

let database: { url: string };
let client: pg.Client;

before(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

after(async () => {
  await client.end();
});

test('the server reads back every text as it was', async () => {
  const texts = [
    'Ein Satz.',
    '',
    ' ',
    'NULL',
    'null',
    '"',
    '\\',
    '\\"\\\\""',
    'a,b',
    '{a}',
    "it's $1",
    'zwei\nZeilen\tund\r\n',
    '«Да», — сказала она.',
    '“Yes,” she said.',
    '漢字かな',
    '😀',
    '\u00a0\u2028\ufeff',
  ];
  const { rows } = await client.query('select $1::text[] as texts, $2::text[] as none', [
    textArray(texts),
    textArray([]),
  ]);
  assert.deepEqual(rows, [{ texts, none: [] }]);
});

test('numbers and UUIDs too', async () => {
  const uuids = ['0b8f2c34-5d1e-4f6a-9c3b-1a2b3c4d5e6f', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  const numbers = [0, -1, 2 ** 52, Number.MAX_SAFE_INTEGER];
  const { rows } = await client.query(
    'select $1::uuid[]::text[] as uuids, $2::bigint[]::text[] as numbers, $3::bigint[] as none',
    [plainArray(uuids), plainArray(numbers), plainArray([])],
  );
  assert.deepEqual(rows, [{ uuids, numbers: numbers.map(String), none: [] }]);
});
