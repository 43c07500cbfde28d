import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { newId } from '../../src/platform/ids.ts';
import type { Answer } from '../support/api-client.ts';
import { assertError, create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const owner = await app.account({ credits: 10_000 });
const stranger = await app.account({ credits: 10_000 });
const text = 'The lamp on the quay was out.';

const routes: [method: string, path: (id: string) => string][] = [
  ['GET', (id) => `/api/v1/tasks/${id}`],
  ['GET', (id) => `/api/v1/tasks/${id}/download`],
  ['GET', (id) => `/api/v1/tasks/${id}/download?file_id=report`],
  ['GET', (id) => `/api/tasks/download-file/${id}`],
  ['GET', (id) => `/api/tasks/download-file/${id}?file_id=bilingual`],
  ['POST', (id) => `/api/v1/tasks/${id}/cancel`],
  ['DELETE', (id) => `/api/v1/tasks/${id}`],
];

/** Everything a client can see, without what names the request itself. */
function visible({ status, headers, text: body }: Answer): unknown {
  const kept = [...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit'].includes(name));
  return { status, headers: kept, body: body.replace(/req_[0-9a-z]{26}/, '') };
}

test("another partner's task and a task that never was get the same answer from every route", async () => {
  const finished = (await run(app, owner.key, { action: 'translation', target_lang: 'de', text })).task_id;
  const pending = (await create(app, owner.key, { action: 'translation', target_lang: 'fr', text })).body.data.task_id;
  for (const [method, path] of routes) {
    const unknown = await app.call(method, path(newId('task')), { key: stranger.key });
    assertError(unknown, 404, 'NOT_FOUND');
    const foreign = await Promise.all(
      [finished, pending, ...Array.from({ length: 20 }, () => newId('task'))].map((id) =>
        app.call(method, path(id), { key: stranger.key }),
      ),
    );
    for (const answer of foreign) assert.deepEqual(visible(answer), visible(unknown), `${method} ${path('…')}`);
  }
  const { body } = await app.call('GET', `/api/v1/tasks/${finished}`, { key: owner.key });
  assert.equal(body.data.status, 'completed');
  assert.equal((await app.call('GET', '/api/v1/tasks', { key: stranger.key })).body.data.tasks.length, 0);
});

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
