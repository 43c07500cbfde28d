import { strict as assert } from 'node:assert';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';

test('a process that cannot store files is not ready, and is again once it can', async () => {
  const app = await startTestApp({ role: 'api' });
  const incoming = join(app.dataDir, 'files', 'incoming');
  await rename(incoming, `${incoming}-away`);
  const refused = await app.call('GET', '/readyz');
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'UNAVAILABLE']);
  assert.equal((await app.call('GET', '/healthz')).status, 200);
  await rename(`${incoming}-away`, incoming);
  assert.equal((await app.call('GET', '/readyz')).status, 200);
});
