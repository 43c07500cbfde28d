import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';
import { toledo } from '../support/toledo-process.ts';

test('key list tells when a key was last used', async () => {
  const app = await startTestApp({ own: true });
  const { key } = await app.account();
  const env = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl };
  const listed = async () => JSON.parse((await toledo(['key', 'list', '--json'], env)).stdout)[0].last_used_at;
  assert.equal(await listed(), null);
  const serving = await startTestApp({ beside: app });
  const before = Date.now();
  assert.equal((await serving.call('GET', '/api/v1/usage', { key })).status, 200);
  await serving.application.stop();
  const usedAt = Date.parse(await listed());
  assert.ok(usedAt >= before && usedAt <= Date.now());
});
