import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ env: { TOLEDO_STORAGE_QUOTA_BYTES: '10000' } });
const text = 'The lamp on the quay was out, and nobody had lit it since Monday. '.repeat(30);

test('what an account keeps in storage has a quota, free actions included; others are not concerned', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const other = await app.account({ credits: 100_000 });
  const fields = { action: 'token_estimate', text };
  await run(app, key, fields);
  const refused = await create(app, key, { ...fields, text: `${text} Again. `.repeat(5) });
  assert.equal(refused.status, 413, refused.text);
  assert.equal(refused.body.error.code, 'STORAGE_QUOTA');
  assert.equal(refused.body.error.details.quota_bytes, 10_000);
  assert.equal((await create(app, other.key, fields)).status, 201);
});

test('lists leave large results out, and the task itself shows them', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const chapters = Array.from({ length: 150 }, (_, i) => `Chapter ${i + 1}\n\nA lamp.\n\n`).join('');
  const task = await run(app, key, { action: 'preview_metadata', text: chapters });
  assert.ok(JSON.stringify(task.metadata).length > 4_096, JSON.stringify(task.metadata));
  const { body } = await app.call('GET', '/api/v1/tasks', { key });
  assert.equal(body.data.tasks[0].task_id, task.task_id);
  assert.equal(body.data.tasks[0].metadata, undefined);
});
