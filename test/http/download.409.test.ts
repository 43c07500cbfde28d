import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertError, create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { id } = await app.account();
const { key } = await app.newKey(id, 'test');
const text = 'The lamp on the quay was out.';
const paths = (taskId: string) => [`/api/v1/tasks/${taskId}/download`, `/api/tasks/download-file/${taskId}`];

test('before the end the file is not ready, with a hint when to ask again', async () => {
  const { body } = await create(app, key, { action: 'translation', target_lang: 'de-x-outage', text });
  for (const path of paths(body.data.task_id)) {
    const answer = await app.call('GET', path, { key });
    assertError(answer, 409, 'TASK_NOT_READY');
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  await app.call('POST', `/api/v1/tasks/${body.data.task_id}/cancel`, { key });
  for (const path of paths(body.data.task_id))
    assertError(await app.call('GET', path, { key }), 409, 'TASK_NOT_DOWNLOADABLE');
});

test('failed tasks and tasks without files have nothing to download', async () => {
  const failed = await run(app, key, { action: 'translation', target_lang: 'de-x-fail', text });
  assert.equal(failed.status, 'failed');
  const estimate = await run(app, key, { action: 'token_estimate', text });
  for (const { task_id } of [failed, estimate]) {
    for (const path of paths(task_id)) assertError(await app.call('GET', path, { key }), 409, 'TASK_NOT_DOWNLOADABLE');
  }
});

test('a file id that does not exist is 400 with the list of those that do', async () => {
  const task = await run(app, key, { action: 'translation', target_lang: 'de', text });
  for (const path of paths(task.task_id)) {
    const answer = await app.call('GET', `${path}?file_id=source`, { key });
    assertError(answer, 400, 'BAD_REQUEST', { field: 'file_id' });
    assert.deepEqual(answer.body.error.details.allowed, [
      ...['translated', 'bilingual', 'glossary', 'report', 'xliff', 'tmx', 'glossary_tbx', 'corrected'],
    ]);
  }
});
