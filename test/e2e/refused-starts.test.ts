import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestDatabase } from '../support/test-database.ts';
import { toledo, toledoProcess } from '../support/toledo-process.ts';

const database = await createTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-stop-'));
after(async () => {
  await rm(dataDir, { recursive: true, force: true });
});
const env = { TOLEDO_DATA_DIR: dataDir, TOLEDO_PORT: '0', TOLEDO_DATABASE_URL: database.url };

test('a migration that cannot run stops the start with a non-zero exit and one sentence', async () => {
  const { code, stderr } = await toledoProcess(['serve'], {
    ...env,
    TOLEDO_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
  });
  assert.equal(code, 1);
  assert.match(stderr, /toledo: /);
});

test('another secret than the one the database was set up with stops the start', async () => {
  await toledo(['account', 'list'], env);
  const { code, stderr } = await toledoProcess(['serve'], { ...env, TOLEDO_SECRET: 'x'.repeat(40) });
  assert.equal(code, 1);
  assert.match(stderr, /TOLEDO_SECRET/);
});
