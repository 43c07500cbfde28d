import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { mountSmallDisk, type SmallDisk } from '../external/support/small-disk.ts';
import { create } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

test('a process that cannot store files is not ready, and is again once it can', async () => {
  const app = await startTestApp({ own: true, role: 'api' });
  const incoming = join(app.dataDir, 'files', 'incoming');
  await rename(incoming, `${incoming}-away`);
  const refused = await app.call('GET', '/readyz');
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'UNAVAILABLE']);
  assert.equal((await app.call('GET', '/healthz')).status, 200);
  await rename(`${incoming}-away`, incoming);
  assert.equal((await app.call('GET', '/readyz')).status, 200);
});

test('while the disk is full and creates are 503, the process is not ready; with space again both work', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'toledo-full-'));
  let disk: SmallDisk;
  try {
    disk = mountSmallDisk(folder, 4);
  } catch {
    rmSync(folder, { recursive: true });
    return context.diagnostic('not allowed to mount a small disk here; the proof needs root');
  }
  context.after(() => {
    disk.unmount();
    rmSync(folder, { recursive: true });
  });
  const app = await startTestApp({ role: 'api', env: { TOLEDO_DATA_DIR: folder } });
  const { key } = await app.account();
  const large = { action: 'token_estimate', text: 'The lamp on the quay was out. '.repeat(5_000) };
  const statuses = async () => [
    (await create(app, key, large)).status,
    (await app.call('GET', '/readyz')).status,
    (await app.call('GET', '/healthz')).status,
  ];
  disk.fill();
  assert.deepEqual(await statuses(), [503, 503, 200]);
  disk.release();
  assert.deepEqual(await statuses(), [201, 200, 200]);
});
