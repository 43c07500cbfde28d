import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import { assertError, poll, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { key } = await app.account({ credits: 1_000 });
const text = 'The lamp on the quay was out.';

test('after deletion every file, link and signed URL is gone', async () => {
  const task = await run(app, key, { action: 'translation', target_lang: 'de', text });
  const { download_url } = (await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key })).body.data;
  await app.call('DELETE', `/api/v1/tasks/${task.task_id}`, { key });
  assertError(await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key }), 410, 'OUTPUT_EXPIRED');
  assertError(await app.call('GET', download_url.slice(app.rootUrl.length)), 410, 'OUTPUT_EXPIRED');
  for (const file of task.download_files) assertError(await app.call('GET', file.url, { key }), 410, 'OUTPUT_EXPIRED');
  assert.equal((await poll(app, key, task.task_id)).body.data.download_files, undefined);
});

test('a file that vanished from the storage is gone, not a fault of the request', async () => {
  const task = await run(app, key, { action: 'translation', target_lang: 'fr', text });
  const storage = await FileStorage.open(`${app.dataDir}/files`);
  for await (const name of storage.list()) if (name.startsWith(`outputs/${task.task_id}/`)) await storage.delete(name);
  assertError(await app.call('GET', task.download_files[0].url, { key }), 410, 'OUTPUT_EXPIRED');
});
