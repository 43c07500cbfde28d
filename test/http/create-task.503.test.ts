import { strict as assert } from 'node:assert';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { countRows, listFiles } from '../support/stored.ts';
import { assertError, create, creditsOf } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ own: true, role: 'api' });

test('503 when the source cannot be copied for reading, with nothing left of it; the same key succeeds later', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const before = [await countRows(app), await creditsOf(app, key), await listFiles(app)];
  // No folder can be made where a file is: the same kind of refusal as a full disk, without filling one.
  const tmp = join(app.dataDir, 'tmp');
  await rm(tmp, { recursive: true, force: true });
  await writeFile(tmp, '');
  // A small text would not be copied at all.
  const fields = { action: 'translation', target_lang: 'de', text: 'The lamp on the quay was out. '.repeat(1_000) };
  const refused = await create(app, key, fields, { idempotencyKey: 'no space' });
  assertError(refused, 503, 'UNAVAILABLE');
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  await rm(tmp);
  assert.deepEqual([await countRows(app), await creditsOf(app, key), await listFiles(app)], before);
  await mkdir(tmp);
  assert.equal((await create(app, key, fields, { idempotencyKey: 'no space' })).status, 201);
});
