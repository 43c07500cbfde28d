import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { create, poll } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const owner = await app.account({ credits: 10_000 });

const routes: [method: string, path: (id: string) => string][] = [
  ['GET', (id) => `/api/v1/tasks/${id}`],
  ['GET', (id) => `/api/v1/tasks/${id}/download`],
  ['GET', (id) => `/api/v1/tasks/${id}/download?file_id=report`],
  ['GET', (id) => `/api/tasks/download-file/${id}`],
  ['GET', (id) => `/api/tasks/download-file/${id}?file_id=bilingual`],
  ['POST', (id) => `/api/v1/tasks/${id}/cancel`],
  ['DELETE', (id) => `/api/v1/tasks/${id}`],
];

test('whatever stands in the path, the answer is 404 or 400, never a fault of ours', async () => {
  const hostile = [
    'x',
    'task_',
    '%00',
    'task_%00',
    '..%2f..%2fetc',
    "'%20or%201=1--",
    '💥',
    'a'.repeat(500),
    '%F0%9F%92%A5',
    '%ff',
  ];
  for (const [method, path] of routes) {
    for (const id of hostile) {
      const { status, text: body } = await app.call(method, path(id), { key: owner.key });
      assert.ok(status === 404 || status === 400, `${method} ${path(id)}: ${body}`);
    }
  }
});

test('of many polls at the same time each gets its own task, and another partner or a hostile path gets none', async () => {
  const other = await app.account({ credits: 10_000 });
  const ids: string[] = [];
  for (const n of [1, 2, 3]) {
    const { body } = await create(app, owner.key, { action: 'token_estimate', text: `Lamp number ${n} was out.` });
    ids.push(body.data.task_id);
  }
  const asked = Array.from({ length: 30 }, (_, i) => {
    const [owned = '', key, found] = [
      [ids[i % ids.length], owner.key, 200],
      [ids[i % ids.length], other.key, 404],
      ['task_%00', owner.key, 404],
    ][i % 3] as [string, string, number];
    return { owned, key, found };
  });
  const answers = await Promise.all(asked.map(({ owned, key }) => poll(app, key, owned)));
  for (const [i, { owned, found }] of asked.entries()) {
    assert.equal(answers[i]?.status, found);
    assert.equal(answers[i]?.body.data.task_id, found === 200 ? owned : undefined);
  }
});
