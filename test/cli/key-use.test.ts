import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';
import { toledo } from '../support/toledo-process.ts';

test('key list tells when a key was last used, and not when it was refused', async () => {
  const app = await startTestApp({ own: true });
  const { key } = await app.account();
  const env = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl };
  const listed = async () => JSON.parse((await toledo(['key', 'list', '--json'], env)).stdout)[0].last_used_at;
  const [{ account_id: account }] = JSON.parse((await toledo(['account', 'list', '--json'], env)).stdout);
  await toledo(['account', 'suspend', account, '--reason', 'unpaid'], env);
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 403);
  assert.equal(await listed(), null);
  await toledo(['account', 'resume', account], env);
  const before = Date.now();
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 200);
  const usedAt = await listed();
  assert.ok(Date.parse(usedAt) >= before && Date.parse(usedAt) <= Date.now());
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 200);
  assert.equal(await listed(), usedAt, 'twice a minute at most');
  await app.application.database.pool.query(`update api_keys set last_used_at = now() - interval '31 s'`);
  const later = Date.now();
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 200);
  assert.ok(Date.parse(await listed()) >= later, 'and again after half a minute');
});
