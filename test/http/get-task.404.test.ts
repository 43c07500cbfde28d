import { strict as assert } from 'node:assert';
import { test } from 'node:test';
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
